// The second of three kernels: the softmax of each row of
// scores. A workgroup has a row, and its lanes keep it between
// the sum and the quotients: each score is loaded once and each
// weight stored once.
// #include "join.wgsl"

override SEQ: u32 = 64;  // scores in a row
// Scores that a lane keeps: SEQ / 64, rounded up.
const PER_LANE: u32 = 1;

@group(0) @binding(0) var<storage, read> scores: array<f32>;
@group(0) @binding(1) var<storage, read_write> probs: array<f32>;

var<workgroup> pairs: array<vec2<f32>, 64>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let start = (group.x + group.y * groups.x) * SEQ;
    var kept: array<f32, PER_LANE>;
    var own = vec2(MASKED, 0.0);
    for (var i = 0u; i < PER_LANE; i++) {
        kept[i] = MASKED;
        if (lane + 64u * i < SEQ) {
            kept[i] = scores[start + lane + 64u * i];
        }
        own.x = max(own.x, kept[i]);
    }
    for (var i = 0u; i < PER_LANE; i++) {
        kept[i] = exp(kept[i] - own.x);
        own.y += kept[i];
    }

    // A tree: after each level half as many pairs are left.
    pairs[lane] = own;
    for (var half = 32u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (lane < half) {
            pairs[lane] = join(pairs[lane], pairs[lane + half]);
        }
    }
    workgroupBarrier();
    let row = pairs[0];

    // A row that is masked in whole has no weights.
    let scale = select(0.0, exp(own.x - row.x) / row.y, row.x > MASKED);
    for (var i = 0u; i < PER_LANE; i++) {
        if (lane + 64u * i < SEQ) {
            probs[start + lane + 64u * i] = kept[i] * scale;
        }
    }
}
