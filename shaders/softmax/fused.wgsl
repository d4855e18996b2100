// Fused softmax: against the sweeps, a workgroup keeps its row.
// Each lane holds PER_LANE logits in registers. Each element is
// loaded once and stored once: 8 bytes, the least possible.
// #include "tree.wgsl"

override ROWS: u32 = 128;   // rows of x and y
override COLS: u32 = 512;   // columns of x and y
override BLOCK: u32 = 128;  // workgroup size, a power of 2
// Elements that a lane keeps: COLS / BLOCK, rounded up.
const PER_LANE: u32 = 4;

// A logit that takes no part. A row with no other gives zeros.
const MASKED = -1.0e38;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

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
    var row_max = MASKED;
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * BLOCK;
        cells[k] = MASKED;
        if (i < COLS) {
            cells[k] = x[start + i];
        }
        row_max = max(row_max, cells[k]);
    }
    row_max = tree_max(local, row_max);

    var row_sum = 0.0;
    for (var k = 0u; k < PER_LANE; k++) {
        // Beyond the row's end this is 0.
        cells[k] = exp(cells[k] - row_max);
        row_sum += cells[k];
    }
    row_sum = tree_sum(local, row_sum);

    let scale = select(0.0, 1.0 / row_sum, row_max > MASKED);
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * BLOCK;
        if (i < COLS) {
            y[start + i] = cells[k] * scale;
        }
    }
}
