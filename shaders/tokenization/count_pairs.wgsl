// How often each pair of neighbouring tokens occurs. A lane has
// one position and adds 1 to its pair's counter, unless a word
// begins between the two.

override V: u32 = 288;  // tokens that there can be

@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> offset: array<u32>;
@group(0) @binding(2) var<storage, read> wall: array<u32>;
@group(0) @binding(3) var<storage, read> length: array<u32>;
// Row a, column b: how often a stands before b.
@group(0) @binding(4)
var<storage, read_write> counts: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i + 1u >= length[0]) {
        return;
    }
    if (wall[offset[i + 1u]] == 1u) {
        return;
    }
    let pair = ids[i] * V + ids[i + 1u];
    atomicAdd(&counts[pair], 1u);
}
