// A caching allocator in some steps of training, with
// the sizes of PyTorch's: it takes segments from the device, cuts
// blocks from them for tensors, and keeps what is freed. A row of
// `held` is a launch: bytes that tensors have, those of the
// largest free block, and those of the other free blocks. The
// last row is after the last step. `counted` has what is
// allocated and reserved, counted on each change.
// One thread lists what a step does with tensors, and then does
// it.
// Constants: LAYERS, WIDTH, HEADS, ROWS, VOCAB, STREAM; AGAIN, 1
// if activations are computed again; STEPS; CARD, MiB that the
// device has, 0 for enough.

// Sizes are in units of 512 bytes, to which they are rounded.
enum Size : unsigned {
    SMALL = 2048,           // 1 MiB: the most of a small one
    SMALL_SEGMENT = 4096,   // 2 MiB, for small tensors
    LARGE = 20480,          // 10 MiB: from here its own segment,
    LARGE_UNIT = 4096,      // of whole 2 MiB
    LARGE_SEGMENT = 40960,  // 20 MiB, for those between
};

struct Block {
    unsigned at;    // its address
    unsigned size;  // 0: this entry is not in use
    unsigned small;
    unsigned used;
    unsigned before;  // its neighbours in the segment, or NONE;
    unsigned after;   // of an entry not in use, the next such
};
constexpr unsigned NONE = 4294967295;

// A tensor's number. The first eight are there all the time.
enum Tensor : unsigned {
    WEIGHTS = 1,
    M,
    V,
    TEXT,
    IDS,
    TARGETS,
    LAYER,
    UPDATES,
    X,
    N1,
    FACTOR1,
    QKV,
    O,
    LSE,
    N2,
    FACTOR2,
    U,
    G,
    N_LAST,
    FACTOR_LAST,
    LOGITS,
    LOSSES,
    MID,
    BRANCH,
    D_X,
    D_N,
    D_O,
    D_QKV,
    D_U,
    DELTA,
    // The gradients of weights.
    OF_EMBEDDING,
    OF_QKV,
    OF_PROJECTION,
    OF_UP,
    OF_DOWN,
    TENSORS,
};

// An event: a launch ends, or a tensor is freed, or else one of
// so many units is allocated. Its other number is the tensor's
// place in `block_of`.
struct Event {
    unsigned place;
    unsigned what;
};
constexpr unsigned ENDS = 4294967295;
constexpr unsigned FREED = 0;

struct Walk {
    float* held;
    float* counted;
    float* said;
    Block* blocks;
    unsigned* block_of;
    Event* events;
    unsigned listed;  // events
    unsigned launch;
    unsigned entries;  // of `blocks`
    unsigned unused;
    unsigned end;  // of all segments so far
    unsigned allocated;
    unsigned reserved;
    bool is_full;

    __device__ unsigned new_entry() {
        if (unused == NONE) {
            entries += 1;
            return entries - 1;
        }
        unsigned entry = unused;
        unused = blocks[entry].after;
        return entry;
    }

    __device__ void forget(unsigned entry) {
        blocks[entry].size = 0;
        blocks[entry].after = unused;
        unused = entry;
    }

    // The smallest free block that is large enough, and of equal
    // ones the first in memory.
    __device__ unsigned best_fit(unsigned size, unsigned small) {
        unsigned best = NONE;
        for (unsigned i = 0; i < entries; i++) {
            const Block b = blocks[i];
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

    // Segments that are one free block go back to the device:
    // only when it has no more memory.
    __device__ void give_back() {
        for (unsigned i = 0; i < entries; i++) {
            const Block b = blocks[i];
            bool is_whole = b.before == NONE && b.after == NONE;
            if (b.size > 0 && b.used == 0 && is_whole) {
                reserved -= b.size;
                forget(i);
            }
        }
    }

    __device__ void allocate(unsigned place, unsigned size) {
        unsigned small = size <= SMALL ? 1 : 0;
        unsigned block = best_fit(size, small);
        if (block == NONE) {
            unsigned segment = LARGE_SEGMENT;
            if (small == 1) {
                segment = SMALL_SEGMENT;
            } else if (size >= LARGE) {
                unsigned units = (size + LARGE_UNIT - 1) / LARGE_UNIT;
                segment = units * LARGE_UNIT;
            }
            if (CARD > 0 && reserved + segment > 2048u * CARD) {
                give_back();
            }
            if (CARD > 0 && reserved + segment > 2048u * CARD) {
                // Out of memory: the error names this tensor.
                is_full = true;
                said[5] = float(place % TENSORS);
                said[6] = 512.0f * float(segment);
                said[7] = float(launch);
                return;
            }
            block = new_entry();
            blocks[block] = {end, segment, small, 0, NONE, NONE};
            end += segment;
            reserved += segment;
            said[4] += 1.0f;
        }
        unsigned rest = blocks[block].size - size;
        if (rest > (small == 1 ? 0u : SMALL)) {
            unsigned after = blocks[block].after;
            unsigned at = blocks[block].at + size;
            unsigned other = new_entry();
            blocks[other] = {at, rest, small, 0, block, after};
            if (after != NONE) {
                blocks[after].before = other;
            }
            blocks[block].after = other;
            blocks[block].size = size;
        }
        blocks[block].used = 1;
        allocated += blocks[block].size;
        block_of[place] = block;
        said[0] = fmaxf(said[0], 512.0f * float(allocated));
        said[1] = fmaxf(said[1], 512.0f * float(reserved));
    }

    // A free block and the one after it, also free, become one.
    __device__ void merge(unsigned first, unsigned second) {
        unsigned after = blocks[second].after;
        blocks[first].size += blocks[second].size;
        blocks[first].after = after;
        if (after != NONE) {
            blocks[after].before = first;
        }
        forget(second);
    }

    __device__ void release(unsigned place) {
        unsigned block = block_of[place];
        allocated -= blocks[block].size;
        blocks[block].used = 0;
        unsigned after = blocks[block].after;
        if (after != NONE) {
            if (blocks[after].used == 0) {
                merge(block, after);
            }
        }
        unsigned before = blocks[block].before;
        if (before != NONE) {
            if (blocks[before].used == 0) {
                merge(before, block);
            }
        }
    }

    __device__ void measure() {
        unsigned taken = 0;
        unsigned free = 0;
        unsigned largest = 0;
        for (unsigned i = 0; i < entries; i++) {
            unsigned size = blocks[i].size;
            if (size > 0 && blocks[i].used == 1) {
                taken += size;
            } else {
                free += size;
                largest = max(largest, size);
            }
        }
        held[3 * launch] = 512.0f * float(taken);
        held[3 * launch + 1] = 512.0f * float(largest);
        held[3 * launch + 2] = 512.0f * float(free - largest);
        counted[2 * launch] = 512.0f * float(allocated);
        counted[2 * launch + 1] = 512.0f * float(reserved);
        said[2] = counted[2 * launch];
        said[3] = counted[2 * launch + 1];
        launch += 1;
    }

    // Does what is listed, unless memory is full.
    __device__ void do_all() {
        for (unsigned i = 0; i < listed && !is_full; i++) {
            const Event event = events[i];
            if (event.what == ENDS) {
                measure();
            } else if (event.what == FREED) {
                release(event.place);
            } else {
                allocate(event.place, event.what);
            }
        }
        listed = 0;
    }

    __device__ void list(unsigned place, unsigned what) {
        events[listed] = {place, what};
        listed += 1;
    }

    __device__ void born(unsigned tensor, unsigned layer,
                         float words) {
        unsigned size = max(1u, unsigned(ceilf(words / 128.0f)));
        list(layer * TENSORS + tensor, size);
    }

    __device__ void freed(unsigned tensor, unsigned layer) {
        list(layer * TENSORS + tensor, FREED);
    }

    __device__ void note() {
        list(0, ENDS);
    }

    // The first nine launches of a layer, up to GELU. What they
    // make is kept for the way back, or only the layer's input.
    __device__ void forward(unsigned l, bool keeps) {
        const float rows = ROWS;
        const float d = rows * WIDTH;
        born(N1, l, d);
        born(FACTOR1, l, rows);
        note();  // norm_1
        born(QKV, l, 3.0f * d);
        note();  // qkv
        if (!keeps) {
            freed(N1, l);
            freed(FACTOR1, l);
        }
        note();  // rope, in place
        born(O, l, d);
        born(LSE, l, rows * HEADS);
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
        born(FACTOR2, l, rows);
        note();  // norm_2
        born(U, l, 4.0f * d);
        note();  // up
        if (!keeps) {
            freed(N2, l);
            freed(FACTOR2, l);
        }
        born(G, l, 4.0f * d);
        note();  // gelu
        if (!keeps) {
            freed(U, l);
        }
    }

    __device__ void backward(unsigned l) {
        const float rows = ROWS;
        const float d = rows * WIDTH;
        const float width = WIDTH;
        const float square = width * width;
        born(OF_DOWN, l, 4.0f * square);
        note();  // down_weight_gradient
        freed(G, l);
        born(D_U, l, 4.0f * d);
        note();  // down_input_gradient
        note();  // gelu_gradient, in place
        freed(U, l);
        born(OF_UP, l, 4.0f * square);
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
        born(DELTA, l, rows * HEADS);
        note();  // delta
        freed(O, l);
        born(D_QKV, l, 3.0f * d);
        note();  // query_gradient
        note();  // key_value_gradient
        freed(D_O, l);
        freed(DELTA, l);
        freed(LSE, l);
        freed(QKV, l);
        note();  // rope_gradient, in place
        born(OF_QKV, l, 3.0f * square);
        note();  // qkv_weight_gradient
        born(D_N, l, d);
        note();  // qkv_input_gradient
        freed(D_QKV, l);
        note();  // norm_1_gradient
        freed(D_N, l);
        freed(N1, l);
        freed(FACTOR1, l);
    }

    __device__ void step() {
        const float rows = ROWS;
        const float d = rows * WIDTH;
        const float width = WIDTH;
        note();  // gather
        born(X, 0, d);
        note();  // embed
        for (unsigned l = 0; l < LAYERS; l++) {
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
        born(FACTOR_LAST, 0, rows);
        note();  // last_norm
        freed(X, LAYERS);
        born(LOGITS, 0, rows * VOCAB);
        note();  // head
        born(LOSSES, 0, rows);
        note();  // cross_entropy, in place
        born(OF_EMBEDDING, 0, VOCAB * width);
        note();  // head_weight_gradient
        born(D_N, 0, d);
        note();  // head_input_gradient
        freed(LOGITS, 0);
        born(D_X, 0, d);
        note();  // last_norm_gradient
        freed(D_N, 0);
        freed(N_LAST, 0);
        freed(FACTOR_LAST, 0);
        for (unsigned l = LAYERS; l > 0; l--) {
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
        for (unsigned l = 0; l < LAYERS; l++) {
            freed(OF_QKV, l);
            freed(OF_PROJECTION, l);
            freed(OF_UP, l);
            freed(OF_DOWN, l);
        }
    }
};

extern "C" __global__ void __launch_bounds__(1)
allocator(float* __restrict__ held,
          float* __restrict__ counted,
          float* __restrict__ said,
          Block* __restrict__ blocks,
          unsigned* __restrict__ block_of,
          Event* __restrict__ events) {
    Walk walk = {held, counted, said, blocks, block_of, events,
                 0, 0, 0, NONE, 0, 0, 0, false};
    const float width = WIDTH;
    const float layers = 12.0f * width * width * LAYERS;
    const float parameters = VOCAB * width + layers;
    walk.born(WEIGHTS, 0, parameters);
    walk.born(M, 0, parameters);
    walk.born(V, 0, parameters);
    walk.born(TEXT, 0, STREAM);
    walk.born(IDS, 0, ROWS);
    walk.born(TARGETS, 0, ROWS);
    walk.born(LAYER, 0, 1.0f);
    walk.born(UPDATES, 0, 1.0f);
    for (unsigned i = 0; i < STEPS; i++) {
        walk.step();
        if (i == STEPS - 1) {
            walk.note();  // after the last step
        }
        walk.do_all();
    }
}
