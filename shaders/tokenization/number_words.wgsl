// New words get numbers in the order in which the text has
// them, and their bytes become tokens, one word behind the
// other. A lane has one byte; that of a new word's first byte
// copies the word.
// #include "scan_block.wgsl"

override N: u32 = 4096;          // bytes
override WORD_ROOM: u32 = 4096;  // for so many words
override TOKEN_ROOM: u32 = 4096; // for so many tokens

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> size: array<u32>;
@group(0) @binding(2) var<storage, read> slot: array<u32>;
// The new words, and their bytes, before each block.
@group(0) @binding(3)
var<storage, read> word_starts: array<u32>;
@group(0) @binding(4)
var<storage, read> byte_starts: array<u32>;
// Words and tokens of the texts before.
@group(0) @binding(5) var<storage, read> totals: array<u32>;
@group(0) @binding(6)
var<storage, read_write> table: array<u32>;
// A word: its first token, how many it has; how often it
// occurs is written later.
@group(0) @binding(7)
var<storage, read_write> word: array<u32>;
@group(0) @binding(8)
var<storage, read_write> word_slot: array<u32>;
@group(0) @binding(9)
var<storage, read_write> tokens: array<u32>;
// 2 if there is not enough room.
@group(0) @binding(10)
var<storage, read_write> trouble: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = gid.x;
    var own = 0u;
    if (i < N) {
        own = size[i];
    }
    let is_new = select(0u, 1u, own > 0u);
    let nth = scan_block(lane, is_new);
    workgroupBarrier();
    let behind = scan_block(lane, own);
    if (own == 0u) {
        return;
    }
    let number = totals[0] + word_starts[group.x] + nth - 1u;
    let first = totals[1] + byte_starts[group.x] + behind - own;
    if (number >= WORD_ROOM || first + own > TOKEN_ROOM) {
        atomicStore(&trouble[0], 2u);
        return;
    }
    word[3u * number] = first;
    word[3u * number + 1u] = own;
    word_slot[number] = slot[i];
    table[3u * slot[i]] = number + 1u;
    for (var k = 0u; k < own; k++) {
        tokens[first + k] = text[i + k];
    }
}
