// Softmax in two sweeps: against the three, one sweep finds
// the maximum and the sum together.
// A lane that meets a larger logit scales its sum down to it:
// 12 bytes an element instead of 16.
// #include "join.wgsl"

override ROWS: u32 = 128;   // rows of x and y
override COLS: u32 = 512;   // columns of x and y
override BLOCK: u32 = 128;  // workgroup size, a power of 2

// A logit that takes no part. A row with no other gives zeros.
const MASKED = -1.0e38;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

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
    var lane_pair = MaxSum(MASKED, 0.0);
    for (var i = local; i < COLS; i += BLOCK) {
        lane_pair = join(lane_pair, MaxSum(x[start + i], 1.0));
    }

    // The pairs of all lanes become one, by a tree.
    partial[local] = lane_pair;
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

    let scale = select(0.0, 1.0 / row_sum, row_max > MASKED);
    for (var i = local; i < COLS; i += BLOCK) {
        y[start + i] = exp(x[start + i] - row_max) * scale;
    }
}
