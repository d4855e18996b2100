// RMSNorm: each element of a row is divided by the root of the
// mean of the row's squares, and multiplied by its column's
// weight. Like the fused softmax, a workgroup keeps its row in
// registers: each element is loaded once and stored once.
// #include "tree.wgsl"

override ROWS: u32 = 128;   // rows of x and y
override COLS: u32 = 512;   // columns of x and y
override BLOCK: u32 = 128;  // workgroup size, a power of 2
// Elements that a lane keeps: COLS / BLOCK, rounded up.
const PER_LANE: u32 = 4;

// Keeps a row of zeros from being divided by 0.
const EPSILON = 1.0e-5;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let row = group.x + group.y * groups.x;
    if (row >= ROWS) {
        return;
    }
    let start = row * COLS;
    var cells: array<f32, PER_LANE>;
    var squares = 0.0;
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * BLOCK;
        cells[k] = 0.0;
        if (i < COLS) {
            cells[k] = x[start + i];
        }
        squares += cells[k] * cells[k];
    }
    squares = tree_sum(local, squares);

    let scale = 1.0 / sqrt(squares / f32(COLS) + EPSILON);
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * BLOCK;
        if (i < COLS) {
            y[start + i] = cells[k] * scale * weight[i];
        }
    }
}
