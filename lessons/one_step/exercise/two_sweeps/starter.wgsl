// The loss of each row, and the gradient of the mean loss in the
// place of the logits, in three sweeps: the maximum, the sum, the
// gradient.
// A workgroup has one row.

override ROWS: u32 = 16;
override VOCAB: u32 = 256;
override BLOCK: u32 = 256;  // lanes of a row, a power of 2

@group(0) @binding(0) var<storage, read> targets: array<u32>;
@group(0) @binding(1)
var<storage, read_write> logits: array<f32>;
@group(0) @binding(2)
var<storage, read_write> losses: array<f32>;

var<workgroup> parts: array<f32, BLOCK>;

// The maximum of a number of each lane: every lane gets it.
fn max_lanes(lane: u32, own: f32) -> f32 {
    workgroupBarrier();
    parts[lane] = own;
    for (var half = BLOCK / 2; half > 0; half /= 2) {
        workgroupBarrier();
        if (lane < half) {
            parts[lane] = max(parts[lane], parts[lane + half]);
        }
    }
    workgroupBarrier();
    return parts[0];
}

// The sum of a number of each lane: every lane gets it.
fn sum_lanes(lane: u32, own: f32) -> f32 {
    workgroupBarrier();
    parts[lane] = own;
    for (var half = BLOCK / 2; half > 0; half /= 2) {
        workgroupBarrier();
        if (lane < half) {
            parts[lane] += parts[lane + half];
        }
    }
    workgroupBarrier();
    return parts[0];
}

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
    let wanted = targets[row];
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
        if (c == wanted) {
            losses[row] = greatest + log(sum) - x;
        }
        let hot = select(0.0, 1.0, c == wanted);
        logits[start + c] = (exp(x - greatest) / sum - hot) / f32(ROWS);
    }
}
