// Softmax in three sweeps over a row: its maximum, the sum of
// its exponentials, its quotients.
// The start. A workgroup has a row. Each sweep reads the row
// from global memory: 16 bytes an element, with the store.
// #include "tree.wgsl"

override ROWS: u32 = 128;   // rows of x and y
override COLS: u32 = 512;   // columns of x and y
override BLOCK: u32 = 128;  // workgroup size, a power of 2

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
    var row_max = MASKED;
    for (var i = local; i < COLS; i += BLOCK) {
        row_max = max(row_max, x[start + i]);
    }
    row_max = tree_max(local, row_max);

    var row_sum = 0.0;
    for (var i = local; i < COLS; i += BLOCK) {
        row_sum += exp(x[start + i] - row_max);
    }
    row_sum = tree_sum(local, row_sum);

    let scale = select(0.0, 1.0 / row_sum, row_max > MASKED);
    for (var i = local; i < COLS; i += BLOCK) {
        y[start + i] = exp(x[start + i] - row_max) * scale;
    }
}
