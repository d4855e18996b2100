// What a merge changes in the counts of pairs: those of its
// neighbours, and no others. A lane has one token. If a merge
// begins there, the lane takes the old pairs away and adds the
// new ones; the other lanes change nothing.

override V: u32 = 288;  // tokens that there can be

@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> offset: array<u32>;
@group(0) @binding(2) var<storage, read> wall: array<u32>;
@group(0) @binding(3) var<storage, read> length: array<u32>;
@group(0) @binding(4) var<storage, read> begins: array<u32>;
@group(0) @binding(5) var<storage, read> turn: array<u32>;
@group(0) @binding(6)
var<storage, read_write> counts: array<atomic<u32>>;

// Whether a pair may be made of the tokens at i and behind it.
fn is_pair(i: u32) -> bool {
    if (i + 1u >= length[0]) {
        return false;
    }
    return wall[offset[i + 1u]] == 0u;
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i >= length[0]) {
        return;
    }
    if (begins[i] == 0u) {
        return;
    }
    // The newest token is that of this round's merge.
    let newest = 255u + turn[0];
    atomicSub(&counts[ids[i] * V + ids[i + 1u]], 1u);
    if (is_pair(i + 1u)) {
        let right = ids[i + 2u];
        atomicSub(&counts[ids[i + 1u] * V + right], 1u);
        // The next token may begin a merge as well.
        let after = select(right, newest, begins[i + 2u] == 1u);
        atomicAdd(&counts[newest * V + after], 1u);
    }
    if (i == 0u) {
        return;
    }
    if (!is_pair(i - 1u)) {
        return;
    }
    if (i >= 2u) {
        if (begins[i - 2u] == 1u) {
            // The merge before has counted what is between.
            return;
        }
    }
    let left = ids[i - 1u];
    atomicSub(&counts[left * V + ids[i]], 1u);
    atomicAdd(&counts[left * V + newest], 1u);
}
