// Softmax in three sweeps and over two trees.
// Change it so that each element is loaded once, and one tree gives the greatest logit and the sum together.
// The launch stays as it is: a workgroup of BLOCK lanes has a row, and a lane PER_LANE elements of it.

override ROWS: u32 = 128;     // rows of x and y
override COLS: u32 = 512;     // columns of x and y
override BLOCK: u32 = 128;    // lanes in a workgroup, a power of two
const PER_LANE: u32 = 4;      // elements of a row for each lane: COLS / BLOCK, rounded up

const MASKED = -1.0e38;       // a logit that takes no part; a row without any other gives zeros

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

var<workgroup> partial: array<f32, BLOCK>;

// The greatest of all lanes' values, over a tree: half as many lanes take part in each turn.
fn greatest_of(local: u32, value: f32) -> f32 {
    partial[local] = value;
    for (var half = BLOCK / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (local < half) {
            partial[local] = max(partial[local], partial[local + half]);
        }
    }
    workgroupBarrier();
    let result = partial[0];
    workgroupBarrier();    // before the next values take its place
    return result;
}

// The sum of all lanes' values, over the same tree.
fn sum_of(local: u32, value: f32) -> f32 {
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
    var greatest = MASKED;
    for (var i = local; i < COLS; i += BLOCK) {
        greatest = max(greatest, x[start + i]);
    }
    greatest = greatest_of(local, greatest);

    var sum = 0.0;
    for (var i = local; i < COLS; i += BLOCK) {
        sum += exp(x[start + i] - greatest);
    }
    sum = sum_of(local, sum);

    let scale = select(0.0, 1.0 / sum, greatest > MASKED);
    for (var i = local; i < COLS; i += BLOCK) {
        y[start + i] = exp(x[start + i] - greatest) * scale;
    }
}
