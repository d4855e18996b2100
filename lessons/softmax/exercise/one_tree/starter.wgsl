// Softmax in three sweeps and over two trees.
// Change it so that each element is loaded once, and one tree
// gives the maximum and the sum together.
// The launch stays as it is: a workgroup of BLOCK lanes has a
// row, and a lane PER_LANE elements of it.

override ROWS: u32 = 128;   // rows of x and y
override COLS: u32 = 512;   // columns of x and y
override BLOCK: u32 = 128;  // workgroup size, a power of 2
// Elements of a row for each lane: COLS / BLOCK, rounded up.
const PER_LANE: u32 = 4;

// A logit that takes no part. A row with no other gives zeros.
const MASKED = -1.0e38;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

var<workgroup> partial: array<f32, BLOCK>;

// The maximum of the values of all lanes.
fn tree_max(local: u32, value: f32) -> f32 {
    partial[local] = value;
    for (var half = BLOCK / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (local < half) {
            let other = partial[local + half];
            partial[local] = max(partial[local], other);
        }
    }
    workgroupBarrier();
    let result = partial[0];
    workgroupBarrier();  // before the next reduction
    return result;
}

// The sum of the values of all lanes.
fn tree_sum(local: u32, value: f32) -> f32 {
    partial[local] = value;
    for (var half = BLOCK / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (local < half) {
            partial[local] += partial[local + half];
        }
    }
    workgroupBarrier();
    let result = partial[0];
    workgroupBarrier();
    return result;
}

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
