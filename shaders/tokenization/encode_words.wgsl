// Encodes a text with merges that were learnt before. A lane
// has one byte; the lane of a word's first byte encodes the
// word: of all pairs in it, the one of the lowest rank is
// merged, the leftmost of several, until no pair has a rank.
// A token stays where its first byte is, and its other bytes
// become NOTHING.

override N: u32 = 4096;  // bytes
override V: u32 = 288;   // tokens that there can be
const NOTHING = 0xffffffffu;

@group(0) @binding(0) var<storage, read> wall: array<u32>;
@group(0) @binding(1) var<storage, read> rank: array<u32>;
@group(0) @binding(2) var<storage, read_write> ids: array<u32>;
// The tokens that each word became.
@group(0) @binding(3)
var<storage, read_write> pieces: array<u32>;

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
    var tokens = end - start;
    loop {
        var lowest = NOTHING;
        var best = start;
        var left = start;
        var right = next_token(left + 1u, end);
        while (right < end) {
            let r = rank[ids[left] * V + ids[right]];
            if (r < lowest) {
                lowest = r;
                best = left;
            }
            left = right;
            right = next_token(left + 1u, end);
        }
        if (lowest == NOTHING) {
            break;
        }
        ids[next_token(best + 1u, end)] = NOTHING;
        ids[best] = 256u + lowest;
        tokens--;
    }
    pieces[start] = tokens;
}
