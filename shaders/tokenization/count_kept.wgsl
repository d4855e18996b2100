// How many tokens of each block of 256 are kept: all but those
// whose left neighbour begins a merge and swallows them.

@group(0) @binding(0) var<storage, read> begins: array<u32>;
@group(0) @binding(1) var<storage, read> length: array<u32>;
@group(0) @binding(2) var<storage, read_write> kept: array<u32>;

var<workgroup> count: atomic<u32>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = gid.x;
    if (i < length[0]) {
        var swallowed = false;
        if (i > 0u) {
            swallowed = begins[i - 1u] == 1u;
        }
        if (!swallowed) {
            atomicAdd(&count, 1u);
        }
    }
    workgroupBarrier();
    if (lane == 0u) {
        kept[group.x] = atomicLoad(&count);
    }
}
