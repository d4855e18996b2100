// The text as it comes, four bytes in a u32, to one byte in a
// u32. A character that the end cuts is left out: END is a
// byte that no UTF-8 has.

override N: u32 = 4096;      // bytes
override WORDS: u32 = 1024;  // u32s, read in turn
const END = 255u;

@group(0) @binding(0) var<storage, read> packed: array<u32>;
@group(0) @binding(1)
var<storage, read_write> text: array<u32>;

fn packed_byte(i: u32) -> u32 {
    let four = packed[(i / 4u) % WORDS];
    return (four >> (8u * (i % 4u))) & 255u;
}

// Bytes of the character that begins with this one.
fn size(first: u32) -> u32 {
    if (first < 192u) {
        return 1u;
    }
    return select(select(4u, 3u, first < 240u), 2u,
        first < 224u);
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i >= N) {
        return;
    }
    // A byte from 128 to 191 continues a character.
    var first = i;
    while (first > 0u && first + 3u > i
        && (packed_byte(first) & 192u) == 128u) {
        first--;
    }
    let is_cut = first + size(packed_byte(first)) > N;
    text[i] = select(packed_byte(i), END, is_cut);
}
