// Encodes a text with merges that were learnt before. A lane
// has one byte; the lane of a word's first byte encodes the
// word.
// #include "by_rank.wgsl"

override N: u32 = 4096;  // bytes
override V: u32 = 288;   // tokens that there can be
const NOTHING = 0xffffffffu;

@group(0) @binding(0) var<storage, read> wall: array<u32>;
@group(0) @binding(1) var<storage, read> rank: array<u32>;
@group(0) @binding(2) var<storage, read_write> ids: array<u32>;
// The tokens that each word became.
@group(0) @binding(3)
var<storage, read_write> pieces: array<u32>;

// The rank of two tokens' merge; NOTHING if there is none.
fn merge_rank(left: u32, right: u32) -> u32 {
    return rank[left * V + right];
}

// What they make.
fn merged(left: u32, right: u32) -> u32 {
    return 256u + rank[left * V + right];
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let start = gid.x;
    if (start >= N) {
        return;
    }
    pieces[start] = 0u;
    if (wall[start] == 0u) {
        return;
    }
    var end = start + 1u;
    while (end < N && wall[end] == 0u) {
        end++;
    }
    pieces[start] = end - start - merge_word(start, end);
}
