// Goes back through walls: a run of another word is counted,
// too.

@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> offset: array<u32>;
@group(0) @binding(2) var<storage, read> wall: array<u32>;
@group(0) @binding(3) var<storage, read> length: array<u32>;
@group(0) @binding(4) var<storage, read> pair: array<u32>;
// 1 for a token that begins a merge.
@group(0) @binding(5)
var<storage, read_write> begins: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i >= length[0]) {
        return;
    }
    var merges = false;
    if (i + 1u < length[0] && ids[i] == pair[0]) {
        merges = ids[i + 1u] == pair[1]
            && wall[offset[i + 1u]] == 0u;
    }
    if (merges && pair[0] == pair[1]) {
        // How far the run reaches back.
        var first = i;
        while (first > 0u && ids[first - 1u] == pair[0]) {
            first--;
        }
        merges = (i - first) % 2u == 0u;
    }
    begins[i] = select(0u, 1u, merges);
}
