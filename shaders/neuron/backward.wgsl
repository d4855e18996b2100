// Backward: a lane has one parameter. For each example it
// starts at the loss and multiplies by local derivatives until
// it arrives at its parameter. The sum is added to g.

override HIDDEN: u32 = 4;   // neurons of the first layer
override ACT: u32 = 1;      // 0: no activation, 1: tanh
override FIRST: u32 = 0;    // the first example
override ROWS: u32 = 4;     // how many examples
override MEAN_OF: u32 = 4;  // the loss is a mean of so many

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> t: array<f32>;
@group(0) @binding(2) var<storage, read> w: array<f32>;
@group(0) @binding(3) var<storage, read> h: array<f32>;
@group(0) @binding(4) var<storage, read> y: array<f32>;
@group(0) @binding(5) var<storage, read_write> g: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i > 4 * HIDDEN) {
        return;
    }
    let j = i % HIDDEN;     // its neuron
    var sum = 0.0;
    for (var r = FIRST; r < FIRST + ROWS; r++) {
        var d = 2.0 * (y[r] - t[r]) / f32(MEAN_OF);
        if (i < 3 * HIDDEN) {
            let a = h[r * HIDDEN + j];
            d *= w[3 * HIDDEN + j];
            d *= select(1.0, 1.0 - a * a, ACT == 1);
            if (i < 2 * HIDDEN) {
                d *= x[2 * r + i / HIDDEN];
            }
        } else if (i < 4 * HIDDEN) {
            d *= h[r * HIDDEN + j];
        }
        sum += d;
    }
    g[i] += sum;
}
