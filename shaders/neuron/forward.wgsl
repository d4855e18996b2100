// Forward: a lane has one example. Its two numbers go through
// HIDDEN neurons, and these through one output.
// w has the weights of x1, those of x2, the neurons' biases,
// the output's weights, and at last the output's bias.

override HIDDEN: u32 = 4;   // neurons of the first layer
override ACT: u32 = 1;      // 0: none, 1: tanh, 2: sigmoid
override FIRST: u32 = 0;    // the first example
override ROWS: u32 = 4;     // how many examples

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> t: array<f32>;
@group(0) @binding(2) var<storage, read> w: array<f32>;
@group(0) @binding(3) var<storage, read_write> h: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
@group(0) @binding(5)
var<storage, read_write> losses: array<f32>;

fn activation(s: f32) -> f32 {
    if (ACT == 1) {
        return tanh(s);
    }
    if (ACT == 2) {
        return 1.0 / (1.0 + exp(-s));
    }
    return s;
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    if (gid.x >= ROWS) {
        return;
    }
    let row = FIRST + gid.x;
    var out = w[4 * HIDDEN];
    for (var j = 0u; j < HIDDEN; j++) {
        let s = x[2 * row] * w[j]
            + x[2 * row + 1] * w[HIDDEN + j]
            + w[2 * HIDDEN + j];
        let a = activation(s);
        h[row * HIDDEN + j] = a;
        out += a * w[3 * HIDDEN + j];
    }
    y[row] = out;
    losses[row] = (out - t[row]) * (out - t[row]);
}
