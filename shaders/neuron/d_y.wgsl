// How the loss changes with each output: the loss is the mean
// of (y - t)^2 over ROWS examples.

override ROWS: u32 = 4;

@group(0) @binding(0) var<storage, read> t: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> d_y: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let row = gid.x;
    if (row < ROWS) {
        d_y[row] = 2.0 * (y[row] - t[row]) / f32(ROWS);
    }
}
