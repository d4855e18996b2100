// Every position adds to global memory.

override V: u32 = 288;      // tokens that there can be
const EACH: u32 = 16u;      // positions of a lane

@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> offset: array<u32>;
@group(0) @binding(2) var<storage, read> wall: array<u32>;
@group(0) @binding(3) var<storage, read> length: array<u32>;
@group(0) @binding(4)
var<storage, read_write> counts: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    for (var turn = 0u; turn < EACH; turn++) {
        let i = (group.x * EACH + turn) * 256u + lane;
        if (i + 1u >= length[0]) {
            break;
        }
        if (wall[offset[i + 1u]] == 1u) {
            continue;
        }
        let pair = ids[i] * V + ids[i + 1u];
        atomicAdd(&counts[pair], 1u);
    }
}
