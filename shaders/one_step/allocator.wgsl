// A caching allocator in some steps of training, with
// the sizes of PyTorch's: it takes segments from the device, cuts
// blocks from them for tensors, and keeps what is freed. A row of
// `held` is a launch: bytes that tensors have, those of the
// largest free block, and those of the other free blocks. The
// last row is after the last step. `counted` has what is
// allocated and reserved, counted on each change.
// One lane lists what a step does with tensors, and then does it.

override LAYERS: u32 = 2;
override WIDTH: f32 = 16.0;
override HEADS: f32 = 2.0;
override ROWS: f32 = 128.0;
override VOCAB: f32 = 256.0;
override STREAM: f32 = 4099.0;
override AGAIN: u32 = 0;  // 1: activations are computed again
override STEPS: u32 = 2;
override CARD: u32 = 0;  // MiB that the device has; 0: enough

@group(0) @binding(0)
var<storage, read_write> held: array<f32>;
@group(0) @binding(1)
var<storage, read_write> counted: array<f32>;
@group(0) @binding(2)
var<storage, read_write> said: array<f32>;
@group(0) @binding(3)
var<storage, read_write> blocks: array<Block>;
@group(0) @binding(4)
var<storage, read_write> block_of: array<u32>;
@group(0) @binding(5)
var<storage, read_write> events: array<vec2<u32>>;

// Sizes are in units of 512 bytes, to which they are rounded.
const SMALL: u32 = 2048;  // 1 MiB: the most of a small one
const SMALL_SEGMENT: u32 = 4096;  // 2 MiB, for small tensors
const LARGE: u32 = 20480;  // 10 MiB: from here its own segment,
const LARGE_UNIT: u32 = 4096;  // of whole 2 MiB
const LARGE_SEGMENT: u32 = 40960;  // 20 MiB, for those between

struct Block {
    at: u32,    // its address
    size: u32,  // 0: this entry is not in use
    small: u32,
    used: u32,
    before: u32,  // its neighbours in the segment, or NONE;
    after: u32,   // of an entry not in use, the next such
}
const NONE: u32 = 4294967295;

// A tensor's number. The first eight are there all the time.
const WEIGHTS: u32 = 1;
const M: u32 = 2;
const V: u32 = 3;
const TEXT: u32 = 4;
const IDS: u32 = 5;
const TARGETS: u32 = 6;
const LAYER: u32 = 7;
const UPDATES: u32 = 8;
const X: u32 = 9;
const N1: u32 = 10;
const FACTOR1: u32 = 11;
const QKV: u32 = 12;
const O: u32 = 13;
const LSE: u32 = 14;
const N2: u32 = 15;
const FACTOR2: u32 = 16;
const U: u32 = 17;
const G: u32 = 18;
const N_LAST: u32 = 19;
const FACTOR_LAST: u32 = 20;
const LOGITS: u32 = 21;
const LOSSES: u32 = 22;
const MID: u32 = 23;
const BRANCH: u32 = 24;
const D_X: u32 = 25;
const D_N: u32 = 26;
const D_O: u32 = 27;
const D_QKV: u32 = 28;
const D_U: u32 = 29;
const DELTA: u32 = 30;
// The gradients of weights.
const OF_EMBEDDING: u32 = 31;
const OF_QKV: u32 = 32;
const OF_PROJECTION: u32 = 33;
const OF_UP: u32 = 34;
const OF_DOWN: u32 = 35;
const TENSORS: u32 = 36;

// An event: a launch ends, or a tensor is freed, or else one of
// so many units is allocated. Its other number is the tensor's
// place in `block_of`.
const ENDS: u32 = 4294967295;
const FREED: u32 = 0;

var<private> listed = 0u;  // events
var<private> launch = 0u;
var<private> entries = 0u;  // of `blocks`
var<private> unused = NONE;
var<private> end = 0u;  // of all segments so far
var<private> allocated = 0u;
var<private> reserved = 0u;
var<private> is_full = false;

fn new_entry() -> u32 {
    if (unused == NONE) {
        entries += 1;
        return entries - 1;
    }
    let entry = unused;
    unused = blocks[entry].after;
    return entry;
}

fn forget(entry: u32) {
    blocks[entry].size = 0;
    blocks[entry].after = unused;
    unused = entry;
}

// The smallest free block that is large enough, and of equal ones
// the first in memory.
fn best_fit(size: u32, small: u32) -> u32 {
    var best = NONE;
    for (var i = 0u; i < entries; i++) {
        let b = blocks[i];
        if (b.size < size || b.used == 1 || b.small != small) {
            continue;
        }
        if (best == NONE) {
            best = i;
        } else if (b.size < blocks[best].size) {
            best = i;
        } else if (b.size == blocks[best].size
                   && b.at < blocks[best].at) {
            best = i;
        }
    }
    return best;
}

// Segments that are one free block go back to the device: only
// when it has no more memory.
fn give_back() {
    for (var i = 0u; i < entries; i++) {
        let b = blocks[i];
        let is_whole = b.before == NONE && b.after == NONE;
        if (b.size > 0 && b.used == 0 && is_whole) {
            reserved -= b.size;
            forget(i);
        }
    }
}

fn allocate(place: u32, size: u32) {
    let small = select(0u, 1u, size <= SMALL);
    var block = best_fit(size, small);
    if (block == NONE) {
        var segment = LARGE_SEGMENT;
        if (small == 1) {
            segment = SMALL_SEGMENT;
        } else if (size >= LARGE) {
            let units = (size + LARGE_UNIT - 1) / LARGE_UNIT;
            segment = units * LARGE_UNIT;
        }
        if (CARD > 0 && reserved + segment > 2048 * CARD) {
            give_back();
        }
        if (CARD > 0 && reserved + segment > 2048 * CARD) {
            // Out of memory: the error names this tensor.
            is_full = true;
            said[5] = f32(place % TENSORS);
            said[6] = 512.0 * f32(segment);
            said[7] = f32(launch);
            return;
        }
        block = new_entry();
        blocks[block] = Block(end, segment, small, 0, NONE, NONE);
        end += segment;
        reserved += segment;
        said[4] += 1.0;
    }
    let rest = blocks[block].size - size;
    if (rest > select(SMALL, 0u, small == 1)) {
        let after = blocks[block].after;
        let at = blocks[block].at + size;
        let other = new_entry();
        blocks[other] = Block(at, rest, small, 0, block, after);
        if (after != NONE) {
            blocks[after].before = other;
        }
        blocks[block].after = other;
        blocks[block].size = size;
    }
    blocks[block].used = 1;
    allocated += blocks[block].size;
    block_of[place] = block;
    said[0] = max(said[0], 512.0 * f32(allocated));
    said[1] = max(said[1], 512.0 * f32(reserved));
}

// A free block and the one after it, free as well, become one.
fn merge(first: u32, second: u32) {
    let after = blocks[second].after;
    blocks[first].size += blocks[second].size;
    blocks[first].after = after;
    if (after != NONE) {
        blocks[after].before = first;
    }
    forget(second);
}

fn release(place: u32) {
    let block = block_of[place];
    allocated -= blocks[block].size;
    blocks[block].used = 0;
    let after = blocks[block].after;
    if (after != NONE) {
        if (blocks[after].used == 0) {
            merge(block, after);
        }
    }
    let before = blocks[block].before;
    if (before != NONE) {
        if (blocks[before].used == 0) {
            merge(before, block);
        }
    }
}

fn measure() {
    var taken = 0u;
    var free = 0u;
    var largest = 0u;
    for (var i = 0u; i < entries; i++) {
        let size = blocks[i].size;
        if (size > 0 && blocks[i].used == 1) {
            taken += size;
        } else {
            free += size;
            largest = max(largest, size);
        }
    }
    held[3 * launch] = 512.0 * f32(taken);
    held[3 * launch + 1] = 512.0 * f32(largest);
    held[3 * launch + 2] = 512.0 * f32(free - largest);
    counted[2 * launch] = 512.0 * f32(allocated);
    counted[2 * launch + 1] = 512.0 * f32(reserved);
    said[2] = counted[2 * launch];
    said[3] = counted[2 * launch + 1];
    launch += 1;
}

// Does what is listed, unless memory is full.
fn do_all() {
    for (var i = 0u; i < listed && !is_full; i++) {
        let event = events[i];
        if (event.y == ENDS) {
            measure();
        } else if (event.y == FREED) {
            release(event.x);
        } else {
            allocate(event.x, event.y);
        }
    }
    listed = 0;
}

fn list(place: u32, what: u32) {
    events[listed] = vec2<u32>(place, what);
    listed += 1;
}

fn born(tensor: u32, layer: u32, words: f32) {
    let size = max(1u, u32(ceil(words / 128.0)));
    list(layer * TENSORS + tensor, size);
}

fn freed(tensor: u32, layer: u32) {
    list(layer * TENSORS + tensor, FREED);
}

fn note() {
    list(0, ENDS);
}

// The first nine launches of a layer, up to GELU. What they
// make is kept for the way back, or only the layer's input.
fn forward(l: u32, keeps: bool) {
    let d = ROWS * WIDTH;
    born(N1, l, d);
    born(FACTOR1, l, ROWS);
    note();  // norm_1
    born(QKV, l, 3.0 * d);
    note();  // qkv
    if (!keeps) {
        freed(N1, l);
        freed(FACTOR1, l);
    }
    note();  // rope, in place
    born(O, l, d);
    born(LSE, l, ROWS * HEADS);
    note();  // attention
    if (!keeps) {
        freed(QKV, l);
        freed(LSE, l);
    }
    born(BRANCH, l, d);
    note();  // projection
    if (!keeps) {
        freed(O, l);
    }
    born(MID, l, d);
    note();  // residual_1
    freed(BRANCH, l);
    if (keeps) {
        freed(X, l);
    }
    born(N2, l, d);
    born(FACTOR2, l, ROWS);
    note();  // norm_2
    born(U, l, 4.0 * d);
    note();  // up
    if (!keeps) {
        freed(N2, l);
        freed(FACTOR2, l);
    }
    born(G, l, 4.0 * d);
    note();  // gelu
    if (!keeps) {
        freed(U, l);
    }
}

fn backward(l: u32) {
    let d = ROWS * WIDTH;
    let square = WIDTH * WIDTH;
    born(OF_DOWN, l, 4.0 * square);
    note();  // down_weight_gradient
    freed(G, l);
    born(D_U, l, 4.0 * d);
    note();  // down_input_gradient
    note();  // gelu_gradient, in place
    freed(U, l);
    born(OF_UP, l, 4.0 * square);
    note();  // up_weight_gradient
    born(D_N, l, d);
    note();  // up_input_gradient
    freed(D_U, l);
    note();  // norm_2_gradient
    freed(D_N, l);
    freed(N2, l);
    freed(FACTOR2, l);
    born(OF_PROJECTION, l, square);
    note();  // projection_weight_gradient
    born(D_O, l, d);
    note();  // projection_input_gradient
    born(DELTA, l, ROWS * HEADS);
    note();  // delta
    freed(O, l);
    born(D_QKV, l, 3.0 * d);
    note();  // query_gradient
    note();  // key_value_gradient
    freed(D_O, l);
    freed(DELTA, l);
    freed(LSE, l);
    freed(QKV, l);
    note();  // rope_gradient, in place
    born(OF_QKV, l, 3.0 * square);
    note();  // qkv_weight_gradient
    born(D_N, l, d);
    note();  // qkv_input_gradient
    freed(D_QKV, l);
    note();  // norm_1_gradient
    freed(D_N, l);
    freed(N1, l);
    freed(FACTOR1, l);
}

fn step() {
    let d = ROWS * WIDTH;
    note();  // gather
    born(X, 0, d);
    note();  // embed
    for (var l = 0u; l < LAYERS; l++) {
        forward(l, AGAIN == 0);
        born(BRANCH, l, d);
        note();  // down
        born(X, l + 1, d);
        note();  // residual_2
        freed(MID, l);
        freed(BRANCH, l);
        if (AGAIN == 1) {
            freed(G, l);
        }
    }
    born(N_LAST, 0, d);
    born(FACTOR_LAST, 0, ROWS);
    note();  // last_norm
    freed(X, LAYERS);
    born(LOGITS, 0, ROWS * VOCAB);
    note();  // head
    born(LOSSES, 0, ROWS);
    note();  // cross_entropy, in place
    born(OF_EMBEDDING, 0, VOCAB * WIDTH);
    note();  // head_weight_gradient
    born(D_N, 0, d);
    note();  // head_input_gradient
    freed(LOGITS, 0);
    born(D_X, 0, d);
    note();  // last_norm_gradient
    freed(D_N, 0);
    freed(N_LAST, 0);
    freed(FACTOR_LAST, 0);
    for (var l = LAYERS; l > 0; l--) {
        if (AGAIN == 1) {
            forward(l - 1, true);
            freed(MID, l - 1);
        }
        backward(l - 1);
    }
    note();  // lookup_gradient, added to the head's
    freed(D_X, 0);
    note();  // adamw
    freed(LOSSES, 0);
    freed(OF_EMBEDDING, 0);
    for (var l = 0u; l < LAYERS; l++) {
        freed(OF_QKV, l);
        freed(OF_PROJECTION, l);
        freed(OF_UP, l);
        freed(OF_DOWN, l);
    }
}

@compute @workgroup_size(1)
fn main() {
    let layers = 12.0 * WIDTH * WIDTH * f32(LAYERS);
    let parameters = VOCAB * WIDTH + layers;
    born(WEIGHTS, 0, parameters);
    born(M, 0, parameters);
    born(V, 0, parameters);
    born(TEXT, 0, STREAM);
    born(IDS, 0, ROWS);
    born(TARGETS, 0, ROWS);
    born(LAYER, 0, 1.0);
    born(UPDATES, 0, 1.0);
    for (var i = 0u; i < STEPS; i++) {
        step();
        if (i == STEPS - 1) {
            note();  // after the last step
        }
        do_all();
    }
}
