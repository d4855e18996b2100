// Encoding by rank. The longest token merges first.

override N: u32 = 4096;  // bytes
override V: u32 = 288;   // tokens that there can be
const NOTHING = 0xffffffffu;

// 1 for a byte at which a word begins.
@group(0) @binding(0) var<storage, read> wall: array<u32>;
// A table of all pairs: see rank_of.
@group(0) @binding(1) var<storage, read> rank: array<u32>;
// The text's tokens: ids[i] is the token whose first byte is
// byte i, and NOTHING if no token begins there.
@group(0) @binding(2) var<storage, read_write> ids: array<u32>;
// The tokens that each word became.
@group(0) @binding(3)
var<storage, read_write> pieces: array<u32>;

// Merges the tokens of one word, from byte `start` to before
// byte `end`. At first each byte is a token.
fn encode_word(start: u32, end: u32) {
    loop {
        // The pair that makes the longest token.
        var longest = 0u;
        var best = start;
        var left = start;
        var right = next_token(left + 1u, end);
        while (right < end) {
            let after = next_token(right + 1u, end);
            if (rank_of(ids[left], ids[right]) != NOTHING
                && after - left > longest) {
                longest = after - left;
                best = left;
            }
            left = right;
            right = after;
        }
        if (longest == 0u) {
            break;
        }
        join(best, next_token(best + 1u, end));
    }
}

// The rank of the merge of two tokens; NOTHING, which is
// greater than every rank, if they have none.
fn rank_of(left: u32, right: u32) -> u32 {
    return rank[left * V + right];
}

// Where the next token begins, from byte i on; `end` if there
// is none.
fn next_token(i: u32, end: u32) -> u32 {
    var at = i;
    while (at < end && ids[at] == NOTHING) {
        at++;
    }
    return at;
}

// Makes one token of those at the bytes `left` and `right`.
fn join(left: u32, right: u32) {
    ids[left] = 256u + rank_of(ids[left], ids[right]);
    ids[right] = NOTHING;
}

// Finds the words, and encodes each. Nothing to do here.
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
    encode_word(start, end);
    for (var i = start; i < end; i++) {
        pieces[start] += select(1u, 0u, ids[i] == NOTHING);
    }
}
