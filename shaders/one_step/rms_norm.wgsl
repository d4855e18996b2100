// RMSNorm: a row is divided by the root of its mean square. It
// has no gain: the product that follows could take it in.
// The factor is kept, since the way back needs it.
// A workgroup has one row.
// #include "sum_lanes.wgsl"

override ROWS: u32 = 16;
override WIDTH: u32 = 16;
override X_HELD: u32 = 1;  // layers that `x` has
override HELD: u32 = 2;    // layers that `y` and `factor` have
override BLOCK: u32 = 16;  // lanes of a row, a power of 2

@group(0) @binding(0) var<storage, read> layer: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3)
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
    let start = (layer[0] % X_HELD * ROWS + row) * WIDTH;
    let kept = layer[0] % HELD * ROWS + row;
    var squares = 0.0;
    for (var c = lane; c < WIDTH; c += BLOCK) {
        squares += x[start + c] * x[start + c];
    }
    squares = sum_lanes(lane, squares);
    // A row of zeros stays zeros.
    let scale = 1.0 / sqrt(squares / f32(WIDTH) + 1e-5);
    for (var c = lane; c < WIDTH; c += BLOCK) {
        y[kept * WIDTH + c] = x[start + c] * scale;
    }
    if (lane == 0) {
        factor[kept] = scale;
    }
}
