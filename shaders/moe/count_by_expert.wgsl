// Against `count_private`: no atomics. A workgroup has one
// expert, reads all choices, and adds up in a tree how many of
// them are its own. All choices are read once per expert.

override N: u32 = 2048;  // choices: tokens times K
override E: u32 = 8;     // experts

@group(0) @binding(0) var<storage, read> chosen: array<u32>;
@group(0) @binding(1)
var<storage, read_write> counts: array<u32>;

var<workgroup> part: array<u32, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let expert = group.x;
    var own = 0u;
    for (var i = lane; i < N; i += 256u) {
        own += select(0u, 1u, chosen[i] == expert);
    }
    part[lane] = own;
    for (var step = 128u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if (lane < step) {
            part[lane] += part[lane + step];
        }
    }
    if (lane == 0u) {
        counts[expert] = part[0];
    }
}
