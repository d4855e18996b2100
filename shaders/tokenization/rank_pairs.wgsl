// A table of all pairs: the rank of the merge that joins them,
// its number in the order of training. A lane has one merge.

override V: u32 = 288;  // tokens that there can be

@group(0) @binding(0) var<storage, read> turn: array<u32>;
@group(0) @binding(1) var<storage, read> merges: array<u32>;
@group(0) @binding(2) var<storage, read_write> rank: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let r = gid.x;
    if (r < turn[0]) {
        rank[merges[2u * r] * V + merges[2u * r + 1u]] = r;
    }
}
