// A residual and the norm after it. The sum is stored for the
// next residual and then loaded again: a third tensor comes in.
// A workgroup has one row.

override ROWS: u32 = 16;
override WIDTH: u32 = 16;
override BLOCK: u32 = 16;  // lanes of a row, a power of 2

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> branch: array<f32>;
@group(0) @binding(2) var<storage, read_write> sum: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4)
var<storage, read_write> factor: array<f32>;

var<workgroup> parts: array<f32, BLOCK>;

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
    // The lanes meet in a tree.
    parts[lane] = squares;
    for (var half = BLOCK / 2; half > 0; half /= 2) {
        workgroupBarrier();
        if (lane < half) {
            parts[lane] += parts[lane + half];
        }
    }
    workgroupBarrier();
    let scale = 1.0 / sqrt(parts[0] / f32(WIDTH) + 1e-5);
    for (var c = lane; c < WIDTH; c += BLOCK) {
        y[start + c] = sum[start + c] * scale;
    }
    if (lane == 0) {
        factor[row] = scale;
    }
}
