// The same gradient with no derivative at all. A lane has one
// parameter: it computes the loss with a little more of it, and
// with a little less, and divides the difference.

override ROWS: u32 = 4;
override HIDDEN: u32 = 4;
override ACT: u32 = 1;      // 1: tanh, 2: sigmoid
override NUDGE: f32 = 0.01;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> t: array<f32>;
@group(0) @binding(2) var<storage, read> w: array<f32>;
@group(0) @binding(3) var<storage, read> g: array<f32>;
@group(0) @binding(4)
var<storage, read_write> numeric: array<f32>;
@group(0) @binding(5)
var<storage, read_write> apart: array<f32>;

fn loss(nudged: u32, by: f32) -> f32 {
    var sum = 0.0;
    for (var r = 0u; r < ROWS; r++) {
        var y = at(4 * HIDDEN, nudged, by);
        for (var j = 0u; j < HIDDEN; j++) {
            let s = x[2 * r] * at(j, nudged, by)
                + x[2 * r + 1] * at(HIDDEN + j, nudged, by)
                + at(2 * HIDDEN + j, nudged, by);
            y += activation(s) * at(3 * HIDDEN + j, nudged, by);
        }
        sum += (y - t[r]) * (y - t[r]);
    }
    return sum / f32(ROWS);
}

fn activation(s: f32) -> f32 {
    if (ACT == 1) {
        return tanh(s);
    }
    return 1.0 / (1.0 + exp(-s));
}

fn at(i: u32, nudged: u32, by: f32) -> f32 {
    return w[i] + select(0.0, by, i == nudged);
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i > 4 * HIDDEN) {
        return;
    }
    let more = loss(i, NUDGE);
    let less = loss(i, -NUDGE);
    numeric[i] = (more - less) / (2.0 * NUDGE);
    apart[i] = abs(numeric[i] - g[i]);
}
