// The loss of each row, lse - x[target], and the gradient of the
// mean loss, (softmax - one-hot) / ROWS, which takes the place
// of the logits.
// A workgroup has one row.
// #include "sum_lanes.wgsl"
// #include "max_lanes.wgsl"

override ROWS: u32 = 16;
override VOCAB: u32 = 256;
override BLOCK: u32 = 256;  // lanes of a row, a power of 2

@group(0) @binding(0) var<storage, read> targets: array<u32>;
@group(0) @binding(1)
var<storage, read_write> logits: array<f32>;
@group(0) @binding(2)
var<storage, read_write> losses: array<f32>;

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
    let start = row * VOCAB;
    var greatest = -1.0e38;
    for (var c = lane; c < VOCAB; c += BLOCK) {
        greatest = max(greatest, logits[start + c]);
    }
    greatest = max_lanes(lane, greatest);
    var sum = 0.0;
    for (var c = lane; c < VOCAB; c += BLOCK) {
        sum += exp(logits[start + c] - greatest);
    }
    sum = sum_lanes(lane, sum);
    for (var c = lane; c < VOCAB; c += BLOCK) {
        let x = logits[start + c];
        let is_target = c == targets[row];
        if (is_target) {
            losses[row] = greatest + log(sum) - x;
        }
        let t = select(0.0, 1.0, is_target);
        logits[start + c] = (exp(x - greatest) / sum - t) / f32(ROWS);
    }
}
