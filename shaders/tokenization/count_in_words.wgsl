// How often each pair occurs in all words together. A lane has
// one word. For each pair in it, it adds the number of times
// that the word occurs in the text.
// #include "pairs.wgsl"

override PLACES: u32 = 65536;  // of pairs, a power of two

@group(0) @binding(0) var<storage, read> totals: array<u32>;
@group(0) @binding(1) var<storage, read> table: array<u32>;
@group(0) @binding(2) var<storage, read> tokens: array<u32>;
@group(0) @binding(3) var<storage, read> word_slot: array<u32>;
@group(0) @binding(4)
var<storage, read> tile_best: array<vec2<u32>>;
// A word: its first token, how many it has, and how often the
// word occurs.
@group(0) @binding(5)
var<storage, read_write> word: array<u32>;
@group(0) @binding(6)
var<storage, read_write> hints: array<vec2<u32>>;
@group(0) @binding(7)
var<storage, read_write> pairs: array<atomic<u32>>;
@group(0) @binding(8)
var<storage, read_write> stale: array<atomic<u32>>;
@group(0) @binding(9)
var<storage, read_write> trouble: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let w = gid.x;
    if (w >= totals[0]) {
        return;
    }
    let first = word[3u * w];
    let length = word[3u * w + 1u];
    let times = table[3u * word_slot[w] + 1u];
    word[3u * w + 2u] = times;
    for (var i = first; i + 1u < first + length; i++) {
        add_pair(pair_of(tokens[i], tokens[i + 1u]), times);
    }
    hints[w] = hints_of_word(first, first + length);
}
