// The words that are no tokens, a lane a word: of all pairs in
// it, the one of the lowest rank is merged, the leftmost of
// several, until no pair has a rank. A token stays where its
// first byte is, and its other bytes become NOTHING.
// #include "merges.wgsl"

override N: u32 = 4096;  // bytes
const END = 255u;        // what stands behind the text

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> wall: array<u32>;
@group(0) @binding(2) var<storage, read> merges: array<u32>;
// The token of each single byte.
@group(0) @binding(3) var<storage, read> of_byte: array<u32>;
// The first bytes of the words; waiting[0] is their number.
@group(0) @binding(4) var<storage, read> words: array<u32>;
@group(0) @binding(5) var<storage, read> waiting: array<u32>;
@group(0) @binding(6) var<storage, read_write> ids: array<u32>;

// Where the next token is, from i on; `end` if there is none.
fn next_token(i: u32, end: u32) -> u32 {
    var at = i;
    while (at < end && ids[at] == NOTHING) {
        at++;
    }
    return at;
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    if (gid.x >= waiting[0]) {
        return;
    }
    let start = words[gid.x];
    var end = start;
    loop {
        ids[end] = of_byte[text[end]];
        end++;
        if (end >= N) {
            break;
        }
        if (wall[end] != 0u || text[end] == END) {
            break;
        }
    }
    loop {
        var lowest = NOTHING;
        var best = start;
        var left = start;
        var right = next_token(left + 1u, end);
        while (right < end) {
            let rank = merge_rank(ids[left], ids[right]);
            if (rank < lowest) {
                lowest = rank;
                best = left;
            }
            left = right;
            right = next_token(left + 1u, end);
        }
        if (lowest == NOTHING) {
            break;
        }
        right = next_token(best + 1u, end);
        ids[best] = merged(ids[best], ids[right]);
        ids[right] = NOTHING;
    }
}
