// Bytes in memory at each launch of a step, if each tensor is
// allocated by the launch that makes it and freed after the last
// one that needs it. A row of `alive` is a launch, and launches
// that only count are left out. `most` is the most that each
// tensor has at once, and `peak` the launch at which all of
// them together have most, and their bytes.
// One lane walks through the step.

override LAYERS: u32 = 2;
override WIDTH: f32 = 16.0;
override HEADS: f32 = 2.0;
override ROWS: f32 = 128.0;
override VOCAB: f32 = 256.0;
override STREAM: f32 = 4099.0;
override AGAIN: u32 = 0;  // 1: activations are computed again

@group(0) @binding(0)
var<storage, read_write> alive: array<f32>;
@group(0) @binding(1)
var<storage, read_write> most: array<f32>;
@group(0) @binding(2)
var<storage, read_write> peak: array<f32>;

// A tensor's number.
const WEIGHTS: u32 = 0;  // and m and v
const GRADS: u32 = 1;
const IDS: u32 = 2;  // and the text
const X: u32 = 3;
const N1: u32 = 4;  // and factor1
const N2: u32 = 5;  // and factor2
const QKV: u32 = 6;
const O: u32 = 7;
const LSE: u32 = 8;
const U: u32 = 9;
const G: u32 = 10;
const N_LAST: u32 = 11;  // and factor_last
const LOGITS: u32 = 12;
const LOSSES: u32 = 13;
const MID: u32 = 14;
const BRANCH: u32 = 15;
const D_X: u32 = 16;
const D_N: u32 = 17;
const D_O: u32 = 18;
const D_QKV: u32 = 19;
const D_U: u32 = 20;
const DELTA: u32 = 21;

var<private> words: array<f32, 22>;
var<private> launch = 0u;

fn born(tensor: u32, count: f32) {
    words[tensor] += count;
    most[tensor] = max(most[tensor], words[tensor]);
}

fn freed(tensor: u32, count: f32) {
    words[tensor] -= count;
}

fn note() {
    var row = array<f32, 8>(
        words[WEIGHTS],
        words[GRADS],
        words[IDS] + words[X],
        words[N1] + words[N2],
        words[QKV] + words[O] + words[LSE],
        words[U] + words[G],
        words[N_LAST] + words[LOGITS] + words[LOSSES],
        0.0,
    );
    for (var tensor = MID; tensor <= DELTA; tensor++) {
        row[7] += words[tensor];
    }
    var sum = 0.0;
    for (var part = 0u; part < 8; part++) {
        alive[8 * launch + part] = 4.0 * row[part];
        sum += 4.0 * row[part];
    }
    if (sum > peak[1]) {
        peak[0] = f32(launch);
        peak[1] = sum;
    }
    launch += 1;
}

// The first nine launches of a layer, up to GELU. What they
// make is kept for the way back, or only the layer's input.
fn forward(keeps: bool) {
    let d = ROWS * WIDTH;
    born(N1, d + ROWS);
    note();  // norm_1
    born(QKV, 3.0 * d);
    note();  // qkv
    if (!keeps) {
        freed(N1, d + ROWS);
    }
    note();  // rope, in place
    born(O, d);
    born(LSE, ROWS * HEADS);
    note();  // attention
    if (!keeps) {
        freed(QKV, 3.0 * d);
        freed(LSE, ROWS * HEADS);
    }
    born(BRANCH, d);
    note();  // projection
    if (!keeps) {
        freed(O, d);
    }
    born(MID, d);
    note();  // residual_1
    freed(BRANCH, d);
    if (keeps) {
        freed(X, d);
    }
    born(N2, d + ROWS);
    note();  // norm_2
    born(U, 4.0 * d);
    note();  // up
    if (!keeps) {
        freed(N2, d + ROWS);
    }
    born(G, 4.0 * d);
    note();  // gelu
    if (!keeps) {
        freed(U, 4.0 * d);
    }
}

fn backward() {
    let d = ROWS * WIDTH;
    let square = WIDTH * WIDTH;
    born(GRADS, 4.0 * square);
    note();  // down_weight_gradient
    freed(G, 4.0 * d);
    born(D_U, 4.0 * d);
    note();  // down_input_gradient
    note();  // gelu_gradient, in place
    freed(U, 4.0 * d);
    born(GRADS, 4.0 * square);
    note();  // up_weight_gradient
    born(D_N, d);
    note();  // up_input_gradient
    freed(D_U, 4.0 * d);
    note();  // norm_2_gradient
    freed(D_N, d);
    freed(N2, d + ROWS);
    born(GRADS, square);
    note();  // projection_weight_gradient
    born(D_O, d);
    note();  // projection_input_gradient
    born(DELTA, ROWS * HEADS);
    note();  // delta
    freed(O, d);
    born(D_QKV, 3.0 * d);
    note();  // query_gradient
    note();  // key_value_gradient
    freed(D_O, d);
    freed(DELTA, ROWS * HEADS);
    freed(LSE, ROWS * HEADS);
    freed(QKV, 3.0 * d);
    note();  // rope_gradient, in place
    born(GRADS, 3.0 * square);
    note();  // qkv_weight_gradient
    born(D_N, d);
    note();  // qkv_input_gradient
    freed(D_QKV, 3.0 * d);
    note();  // norm_1_gradient
    freed(D_N, d);
    freed(N1, d + ROWS);
}

@compute @workgroup_size(1)
fn main() {
    let d = ROWS * WIDTH;
    let embedding = VOCAB * WIDTH;
    let layers = 12.0 * WIDTH * WIDTH * f32(LAYERS);
    born(WEIGHTS, 3.0 * (embedding + layers));
    born(IDS, STREAM + 2.0 * ROWS + 2.0);
    note();  // gather
    born(X, d);
    note();  // embed
    for (var layer = 0u; layer < LAYERS; layer++) {
        forward(AGAIN == 0);
        born(BRANCH, d);
        note();  // down
        born(X, d);
        note();  // residual_2
        freed(MID, d);
        freed(BRANCH, d);
        if (AGAIN == 1) {
            freed(G, 4.0 * d);
        }
    }
    born(N_LAST, d + ROWS);
    note();  // last_norm
    freed(X, d);
    born(LOGITS, ROWS * VOCAB);
    note();  // head
    born(LOSSES, ROWS);
    note();  // cross_entropy, in place
    born(GRADS, embedding);
    note();  // head_weight_gradient
    born(D_N, d);
    note();  // head_input_gradient
    freed(LOGITS, ROWS * VOCAB);
    born(D_X, d);
    note();  // last_norm_gradient
    freed(D_N, d);
    freed(N_LAST, d + ROWS);
    for (var layer = 0u; layer < LAYERS; layer++) {
        if (AGAIN == 1) {
            forward(true);
            freed(MID, d);
        }
        backward();
    }
    note();  // lookup_gradient, added to the head's
    freed(D_X, d);
    note();  // adamw
    freed(GRADS, embedding + layers);
}
