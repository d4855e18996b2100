// How many tokens begin in each block of 256 bytes.

override N: u32 = 4096;  // bytes
const NOTHING = 0xffffffffu;

@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read_write> kept: array<u32>;

var<workgroup> count: atomic<u32>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = gid.x;
    if (i < N) {
        if (ids[i] != NOTHING) {
            atomicAdd(&count, 1u);
        }
    }
    workgroupBarrier();
    if (lane == 0u) {
        kept[group.x] = atomicLoad(&count);
    }
}
