// Where the first of the most frequent pairs stands, by the
// rule that the pair is merged that the text has first. A lane
// has one word. Words, and so their tokens, are in the order in
// which the text has them.
// #include "pair_hash.wgsl"

override PLACES: u32 = 65536;  // of pairs, a power of two
// So many places are tried.
const TRIES = 1024u;

@group(0) @binding(0) var<storage, read> totals: array<u32>;
@group(0) @binding(1) var<storage, read> word: array<u32>;
@group(0) @binding(2) var<storage, read> tokens: array<u32>;
@group(0) @binding(3) var<storage, read> pairs: array<u32>;
// The greatest count, and the first place of a pair with it.
@group(0) @binding(4)
var<storage, read_write> best: array<atomic<u32>>;

// How often a pair occurs.
fn count_of(pair: u32) -> u32 {
    var place = hash_of(pair);
    for (var tries = 0u; tries < TRIES; tries++) {
        place &= PLACES - 1u;
        let held = pairs[2u * place];
        if (held == pair + 1u) {
            return pairs[2u * place + 1u];
        }
        if (held == 0u) {
            break;
        }
        place++;
    }
    return 0u;
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let w = gid.x;
    let most = atomicLoad(&best[0]);
    if (w >= totals[0] || most == 0u) {
        return;
    }
    let first = word[3u * w];
    let end = first + word[3u * w + 1u];
    // Words from the first one found on need not be read.
    for (var i = first; i + 1u < end
        && i < atomicLoad(&best[1]); i++) {
        let pair = pair_of(tokens[i], tokens[i + 1u]);
        if (count_of(pair) == most) {
            atomicMin(&best[1], i);
            return;
        }
    }
}
