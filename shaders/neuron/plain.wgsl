// One lane trains the network, to check the others: forward,
// backward and update, one example after the other.

override HIDDEN: u32 = 4;
override ACT: u32 = 1;
override STEPS: u32 = 300;
override RATE: f32 = 0.2;
override ZERO: u32 = 1;     // 0: gradients are never zeroed

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> t: array<f32>;
@group(0) @binding(2) var<storage, read> start: array<f32>;
@group(0) @binding(3) var<storage, read_write> w: array<f32>;
@group(0) @binding(4)
var<storage, read_write> losses: array<f32>;

@compute @workgroup_size(1)
fn main() {
    let o = 3 * HIDDEN;
    for (var i = 0u; i < o + HIDDEN + 1; i++) {
        w[i] = start[i];
    }
    var g = array<f32, 65>();
    for (var step = 0u; step < STEPS; step++) {
        if (ZERO == 1) {
            g = array<f32, 65>();
        }
        for (var r = 0u; r < 4; r++) {
            let x1 = x[2 * r];
            let x2 = x[2 * r + 1];
            var a = array<f32, 16>();
            var e = w[o + HIDDEN] - t[r];
            for (var j = 0u; j < HIDDEN; j++) {
                a[j] = w[2 * HIDDEN + j]
                    + w[j] * x1 + w[HIDDEN + j] * x2;
                if (ACT == 1) {
                    a[j] = tanh(a[j]);
                }
                e += w[o + j] * a[j];
            }
            losses[r] = e * e;
            for (var j = 0u; j < HIDDEN; j++) {
                var d = 0.5 * e * w[o + j];
                if (ACT == 1) {
                    d *= 1.0 - a[j] * a[j];
                }
                g[j] += d * x1;
                g[HIDDEN + j] += d * x2;
                g[2 * HIDDEN + j] += d;
                g[o + j] += 0.5 * e * a[j];
            }
            g[o + HIDDEN] += 0.5 * e;
        }
        for (var i = 0u; i < o + HIDDEN + 1; i++) {
            w[i] -= RATE * g[i];
        }
    }
}
