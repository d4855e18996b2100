// How many rows each expert gets from each block of 256
// choices. Row e of `counts` has expert e's: one number for
// each block.

override N: u32 = 2048;    // choices: tokens times K
const E: u32 = 8;          // experts
override BLOCKS: u32 = 8;  // N / 256, rounded up

@group(0) @binding(0) var<storage, read> chosen: array<u32>;
@group(0) @binding(1)
var<storage, read_write> counts: array<u32>;

var<workgroup> own: array<atomic<u32>, E>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = gid.x;
    if (i < N) {
        atomicAdd(&own[chosen[i]], 1u);
    }
    workgroupBarrier();
    for (var e = lane; e < E; e += 256u) {
        counts[e * BLOCKS + group.x] = atomicLoad(&own[e]);
    }
}
