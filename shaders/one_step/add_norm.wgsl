// A residual and the norm after it: the sum is stored for the
// next residual, its norm for the product that follows.
// A workgroup has one row, and loads the sum again that it has
// just stored: the norm needs the whole row first.
// #include "sum_lanes.wgsl"

override ROWS: u32 = 16;
override WIDTH: u32 = 16;
override BLOCK: u32 = 16;  // lanes of a row, a power of 2

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> branch: array<f32>;
@group(0) @binding(2) var<storage, read_write> sum: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4)
var<storage, read_write> factor: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = group.x + group.y * groups.x;
    if (row >= ROWS) {
        return;
    }
    let start = row * WIDTH;
    var squares = 0.0;
    for (var c = lane; c < WIDTH; c += BLOCK) {
        let s = x[start + c] + branch[start + c];
        sum[start + c] = s;
        squares += s * s;
    }
    squares = sum_lanes(lane, squares);
    // A row of zeros stays zeros.
    let scale = 1.0 / sqrt(squares / f32(WIDTH) + 1e-5);
    for (var c = lane; c < WIDTH; c += BLOCK) {
        y[start + c] = sum[start + c] * scale;
    }
    if (lane == 0) {
        factor[row] = scale;
    }
}
