// The words that are no tokens, a workgroup a word: a warp, or
// more lanes. The tokens of a word and the ranks of its pairs
// are kept in workgroup memory, and for a merge two ranks are
// looked up. All lanes look for the lowest one.
// #include "merges.wgsl"

override N: u32 = 4096;  // bytes
override LANES: u32 = 32;  // of a workgroup
const END = 255u;        // what stands behind the text
const NOTHING = 0xffffffffu;
// No word in `words` has more: `find_words` sees to that.
const LONGEST = 1024u;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> wall: array<u32>;
@group(0) @binding(2) var<storage, read> merges: array<u32>;
// The token of each single byte.
@group(0) @binding(3) var<storage, read> of_byte: array<u32>;
// The first bytes of the words; waiting[0] is their number.
@group(0) @binding(4) var<storage, read> words: array<u32>;
@group(0) @binding(5) var<storage, read> waiting: array<u32>;
@group(0) @binding(6) var<storage, read_write> ids: array<u32>;

var<workgroup> token: array<u32, LONGEST>;
// The rank of the token at a place with the next one.
var<workgroup> rank: array<u32, LONGEST>;
var<workgroup> length: u32;
var<workgroup> lowest: atomic<u32>;
var<workgroup> best: atomic<u32>;
var<workgroup> is_done: u32;

fn next_token(i: u32) -> u32 {
    var at = i + 1u;
    while (at < length && token[at] == NOTHING) {
        at++;
    }
    return at;
}

fn rank_at(i: u32) -> u32 {
    let right = next_token(i);
    if (right >= length) {
        return NOTHING;
    }
    return merge_rank(token[i], token[right]);
}

// Merges the tokens at i and behind it.
fn merge_at(i: u32) {
    let right = next_token(i);
    token[i] = merged(token[i], token[right]);
    token[right] = NOTHING;
    rank[right] = NOTHING;
    rank[i] = rank_at(i);
    var left = i;
    while (left > 0u) {
        left--;
        if (token[left] != NOTHING) {
            rank[left] = rank_at(left);
            break;
        }
    }
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    for (var w = group.x; w < waiting[0]; w += groups.x) {
        let start = words[w];
        if (lane == 0u) {
            var end = start + 1u;
            while (end < min(N, start + LONGEST)
                && wall[end] == 0u && text[end] != END) {
                end++;
            }
            length = end - start;
        }
        let bytes = workgroupUniformLoad(&length);
        for (var i = lane; i < bytes; i += LANES) {
            token[i] = of_byte[text[start + i]];
        }
        workgroupBarrier();
        for (var i = lane; i < bytes; i += LANES) {
            rank[i] = rank_at(i);
        }
        loop {
            if (lane == 0u) {
                atomicStore(&lowest, NOTHING);
                atomicStore(&best, NOTHING);
            }
            workgroupBarrier();
            var own = NOTHING;
            var at = NOTHING;
            for (var i = lane; i < bytes; i += LANES) {
                if (rank[i] < own) {
                    own = rank[i];
                    at = i;
                }
            }
            atomicMin(&lowest, own);
            workgroupBarrier();
            if (own == atomicLoad(&lowest)) {
                atomicMin(&best, at);
            }
            workgroupBarrier();
            if (lane == 0u) {
                let i = atomicLoad(&best);
                is_done = select(0u, 1u, i == NOTHING);
                if (i != NOTHING) {
                    merge_at(i);
                }
            }
            if (workgroupUniformLoad(&is_done) == 1u) {
                break;
            }
        }
        for (var i = lane; i < bytes; i += LANES) {
            ids[start + i] = token[i];
        }
        workgroupBarrier();
    }
}
