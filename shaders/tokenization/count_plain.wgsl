// The reference of the counts: a single lane goes through the
// text and adds 1 for each pair that no wall divides.
// #include "words.wgsl"

override N: u32 = 4096;     // bytes
override TEXT: u32 = 4096;  // those of the text
override V: u32 = 288;      // tokens that there can be
override WALLS: u32 = 1;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1)
var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(1)
fn main() {
    for (var i = 1u; i < N; i++) {
        if (!word_begins(i)) {
            counts[byte_at(i - 1u) * V + byte_at(i)] += 1u;
        }
    }
}
