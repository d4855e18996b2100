// Where the words of a text begin, one after the other. A
// single lane.

override N: u32 = 4096;  // bytes

// 1 for a byte at which a word begins.
@group(0) @binding(0) var<storage, read> wall: array<u32>;
@group(0) @binding(1)
var<storage, read_write> offset: array<u32>;
// How many words there are.
@group(0) @binding(2)
var<storage, read_write> length: array<u32>;

@compute @workgroup_size(1)
fn main() {
    var words = 0u;
    for (var i = 0u; i < N; i++) {
        if (wall[i] == 1u) {
            offset[words] = i;
            words++;
        }
    }
    offset[words] = N;
    length[0] = words;
}
