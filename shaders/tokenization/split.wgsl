// The text as its bytes: each is a token of its own. A lane has
// one byte, and finds out whether a word begins there.
// #include "words.wgsl"

override N: u32 = 4096;     // bytes
override TEXT: u32 = 4096;  // those of the text, read in turn
// 0: the text is one word; 1: words are walls; n: a word is
// n bytes.
override WALLS: u32 = 1;

@group(0) @binding(0) var<storage, read> text: array<u32>;
// The tokens, and at which byte each begins.
@group(0) @binding(1)
var<storage, read_write> ids: array<u32>;
@group(0) @binding(2)
var<storage, read_write> offset: array<u32>;
// 1 for a byte at which a word begins.
@group(0) @binding(3)
var<storage, read_write> wall: array<u32>;
// How many tokens there are.
@group(0) @binding(4)
var<storage, read_write> length: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i >= N) {
        return;
    }
    ids[i] = byte_at(i);
    offset[i] = i;
    wall[i] = select(0u, 1u, word_begins(i));
    if (i == 0u) {
        offset[N] = N;
        length[0] = N;
    }
}
