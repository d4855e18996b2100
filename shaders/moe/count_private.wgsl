// Against `count_atomic`: a workgroup has counters of its own
// in workgroup memory, and adds each of them to the global one
// once, when all of its choices are counted.

override N: u32 = 2048;  // choices: tokens times K
const E: u32 = 8;        // experts

@group(0) @binding(0) var<storage, read> chosen: array<u32>;
@group(0) @binding(1)
var<storage, read_write> counts: array<atomic<u32>>;

var<workgroup> own: array<atomic<u32>, E>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    // Workgroup memory starts as zeros.
    let i = gid.x;
    if (i < N) {
        atomicAdd(&own[chosen[i]], 1u);
    }
    workgroupBarrier();
    for (var e = lane; e < E; e += 256u) {
        let count = atomicLoad(&own[e]);
        if (count > 0u) {
            atomicAdd(&counts[e], count);
        }
    }
}
