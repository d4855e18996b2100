// Back to the parameters: each is used by all examples, so its
// gradient is a sum over them. A lane has one parameter.

override ROWS: u32 = 4;
override HIDDEN: u32 = 4;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> h: array<f32>;
@group(0) @binding(2) var<storage, read> d_y: array<f32>;
@group(0) @binding(3) var<storage, read> d_s: array<f32>;
@group(0) @binding(4) var<storage, read_write> g: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i > 4 * HIDDEN) {
        return;
    }
    let j = i % HIDDEN;
    var sum = 0.0;
    for (var r = 0u; r < ROWS; r++) {
        if (i < 2 * HIDDEN) {
            sum += d_s[r * HIDDEN + j] * x[2 * r + i / HIDDEN];
        } else if (i < 3 * HIDDEN) {
            sum += d_s[r * HIDDEN + j];
        } else if (i < 4 * HIDDEN) {
            sum += d_y[r] * h[r * HIDDEN + j];
        } else {
            sum += d_y[r];
        }
    }
    g[i] = sum;
}
