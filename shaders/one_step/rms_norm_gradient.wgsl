// RMSNorm, backward: with y = x * factor, the gradient of x is
// factor * (dy - y * mean of dy * y). It is added to that which
// goes past the norm, unless ADDS is 0.
// A workgroup has one row.
// #include "sum_lanes.wgsl"

override ROWS: u32 = 16;
override WIDTH: u32 = 16;
override HELD: u32 = 2;    // layers that `y` and `factor` have
override ADDS: u32 = 1;
override BLOCK: u32 = 16;  // lanes of a row, a power of 2

@group(0) @binding(0) var<storage, read> layer: array<u32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read> factor: array<f32>;
@group(0) @binding(3) var<storage, read> d_y: array<f32>;
@group(0) @binding(4) var<storage, read_write> d_x: array<f32>;

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
    let kept = layer[0] % HELD * ROWS + row;
    var product = 0.0;
    for (var c = lane; c < WIDTH; c += BLOCK) {
        product += d_y[row * WIDTH + c] * y[kept * WIDTH + c];
    }
    let mean = sum_lanes(lane, product) / f32(WIDTH);
    for (var c = lane; c < WIDTH; c += BLOCK) {
        let i = row * WIDTH + c;
        let own = factor[kept] * (d_y[i] - y[kept * WIDTH + c] * mean);
        if (ADDS == 1) {
            d_x[i] += own;
        } else {
            d_x[i] = own;
        }
    }
}
