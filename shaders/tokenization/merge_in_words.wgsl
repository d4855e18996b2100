// The round's pair is merged in all words, and the counts of
// pairs are changed where that changes them. A workgroup has
// 1,024 words. It lists those that may have the pair, and then
// each lane goes through a word of the list, from the left.
// #include "pairs.wgsl"

override PLACES: u32 = 65536;  // of pairs, a power of two
override HINTS: u32 = 1;       // 0: all words are read
const WORDS = 1024u;           // of a workgroup

@group(0) @binding(0) var<storage, read> totals: array<u32>;
// The pair that is merged in this round, and its token.
@group(0) @binding(1) var<storage, read> pair: array<u32>;
// Of each tile the greatest count, and its pair.
@group(0) @binding(2)
var<storage, read> tile_best: array<vec2<u32>>;
// A word: its first token, how many it has, and how often the
// word occurs.
@group(0) @binding(3)
var<storage, read_write> word: array<u32>;
@group(0) @binding(4)
var<storage, read_write> tokens: array<u32>;
@group(0) @binding(5)
var<storage, read_write> hints: array<vec2<u32>>;
@group(0) @binding(6)
var<storage, read_write> pairs: array<atomic<u32>>;
@group(0) @binding(7)
var<storage, read_write> stale: array<atomic<u32>>;
@group(0) @binding(8)
var<storage, read_write> trouble: array<atomic<u32>>;

var<workgroup> listed: array<u32, WORDS>;
var<workgroup> many: atomic<u32>;

// The pair occurs so many times less.
fn take_pair(pair: u32, times: u32) {
    let place = place_of(pair);
    if (place == NOTHING) {
        return;
    }
    let before = atomicSub(&pairs[2u * place + 1u], times);
    if (before >= tile_best[place / TILE].x) {
        make_stale(place);
    }
}

// The pair does not occur any more.
fn clear_pair(pair: u32) {
    let place = place_of(pair);
    if (place != NOTHING) {
        atomicStore(&pairs[2u * place + 1u], 0u);
        make_stale(place);
    }
}

// Whether a word's hints allow for a pair.
fn may_have(w: u32, own: u32) -> bool {
    let bit = hint_of(own);
    return ((hints[w][bit / 32u] >> (bit % 32u)) & 1u) == 1u;
}

// Whether a merge may begin at token i of a word.
fn begins(i: u32, end: u32) -> bool {
    if (i + 1u >= end) {
        return false;
    }
    return tokens[i] == pair[0] && tokens[i + 1u] == pair[1];
}

// The first token at which a merge begins; `end` if none does.
// Four are read at a time: they do not wait for each other.
fn first_begin(first: u32, end: u32) -> u32 {
    let last = end - 1u;
    var here = tokens[first];
    for (var at = first; at < last; at += 4u) {
        let b = tokens[min(at + 1u, last)];
        let c = tokens[min(at + 2u, last)];
        let d = tokens[min(at + 3u, last)];
        let e = tokens[min(at + 4u, last)];
        if (here == pair[0] && b == pair[1]) {
            return at;
        }
        if (b == pair[0] && c == pair[1] && at + 1u < last) {
            return at + 1u;
        }
        if (c == pair[0] && d == pair[1] && at + 2u < last) {
            return at + 2u;
        }
        if (d == pair[0] && e == pair[1] && at + 3u < last) {
            return at + 3u;
        }
        here = e;
    }
    return end;
}

fn merge_word(w: u32) {
    let left = pair[0];
    let right = pair[1];
    let merged = pair[2];
    let first = word[3u * w];
    let end = first + word[3u * w + 1u];
    var at = first_begin(first, end);
    if (at == end) {
        return;
    }
    let times = word[3u * w + 2u];
    // Where the next token goes, and whether that before it is
    // a new one, which has counted what is between.
    var to = at;
    var is_behind_new = false;
    while (at < end) {
        if (!begins(at, end)) {
            tokens[to] = tokens[at];
            to++;
            at++;
            is_behind_new = false;
            continue;
        }
        if (to > first && !is_behind_new) {
            take_pair(pair_of(tokens[to - 1u], left), times);
            add_pair(pair_of(tokens[to - 1u], merged), times);
        }
        if (at + 2u < end) {
            let next = tokens[at + 2u];
            if (left != right || next != right) {
                take_pair(pair_of(right, next), times);
            }
            let behind =
                select(next, merged, begins(at + 2u, end));
            add_pair(pair_of(merged, behind), times);
        }
        tokens[to] = merged;
        to++;
        at += 2u;
        is_behind_new = true;
    }
    word[3u * w + 1u] = to - first;
    hints[w] = hints_of_word(first, to);
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let own = pair_of(pair[0], pair[1]);
    let is_left = pair[0] != NOTHING;
    for (var k = lane; k < WORDS; k += 256u) {
        let w = group.x * WORDS + k;
        if (is_left && w < totals[0]) {
            if (HINTS == 0u || may_have(w, own)) {
                listed[atomicAdd(&many, 1u)] = w;
            }
        }
    }
    // Hints are written from here on.
    workgroupBarrier();
    storageBarrier();
    // The pair itself is gone everywhere.
    if (is_left && group.x == 0u && lane == 0u) {
        clear_pair(own);
    }
    for (var k = lane; k < atomicLoad(&many); k += 256u) {
        merge_word(listed[k]);
    }
}
