// The choices of each expert in two parts: those that the
// router makes without noise as well, and those that only the
// noise brings. A workgroup has one expert.

override N: u32 = 2048;  // choices: tokens times K
override K: u32 = 2;     // experts that a token goes to

@group(0) @binding(0) var<storage, read> chosen: array<u32>;
// The choices without noise.
@group(0) @binding(1)
var<storage, read> quiet_chosen: array<u32>;
@group(0) @binding(2)
var<storage, read_write> by_noise: array<u32>;

var<workgroup> kept: array<u32, 256>;
var<workgroup> brought: array<u32, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let expert = group.x;
    var same = 0u;
    var other = 0u;
    for (var i = lane; i < N; i += 256u) {
        if (chosen[i] == expert) {
            let first = i / K * K;
            var found = 0u;
            for (var j = first; j < first + K; j++) {
                if (quiet_chosen[j] == expert) {
                    found = 1u;
                }
            }
            same += found;
            other += 1u - found;
        }
    }
    kept[lane] = same;
    brought[lane] = other;
    for (var step = 128u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if (lane < step) {
            kept[lane] += kept[lane + step];
            brought[lane] += brought[lane + step];
        }
    }
    if (lane == 0u) {
        by_noise[2u * expert] = kept[0];
        by_noise[2u * expert + 1u] = brought[0];
    }
}
