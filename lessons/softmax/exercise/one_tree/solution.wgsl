// Softmax in one sweep and over one tree: a lane keeps its
// elements, and takes exponentials from its own maximum.
// The tree joins pairs. What differs is one factor, which the
// scale at the end corrects.

override ROWS: u32 = 128;   // rows of x and y
override COLS: u32 = 512;   // columns of x and y
override BLOCK: u32 = 128;  // workgroup size, a power of 2
// Elements of a row for each lane: COLS / BLOCK, rounded up.
const PER_LANE: u32 = 4;

// A logit that takes no part. A row with no other gives zeros.
const MASKED = -1.0e38;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

// x: the maximum of some logits; y: the sum of
// e^(logit - maximum) over them. One access moves both.
alias MaxSum = vec2<f32>;

// Each sum is scaled to the larger of the two maxima.
fn join(a: MaxSum, b: MaxSum) -> MaxSum {
    let larger = max(a.x, b.x);
    let sum = a.y * exp(a.x - larger) + b.y * exp(b.x - larger);
    return MaxSum(larger, sum);
}

var<workgroup> partial: array<MaxSum, BLOCK>;

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
    var lane_max = MASKED;
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * BLOCK;
        cells[k] = MASKED;
        if (i < COLS) {
            cells[k] = x[start + i];
        }
        lane_max = max(lane_max, cells[k]);
    }
    var lane_sum = 0.0;
    for (var k = 0u; k < PER_LANE; k++) {
        cells[k] = exp(cells[k] - lane_max);
        lane_sum += cells[k];
    }

    partial[local] = MaxSum(lane_max, lane_sum);
    for (var half = BLOCK / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (local < half) {
            let other = partial[local + half];
            partial[local] = join(partial[local], other);
        }
    }
    workgroupBarrier();
    let row_pair = partial[0];
    let row_max = row_pair.x;
    let row_sum = row_pair.y;

    let correction = exp(lane_max - row_max);
    let scale =
        select(0.0, correction / row_sum, row_max > MASKED);
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * BLOCK;
        if (i < COLS) {
            y[start + i] = cells[k] * scale;
        }
    }
}
