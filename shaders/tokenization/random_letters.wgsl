// A text of random letters, a byte in a u32: words of LETTERS
// letters with a space before each.

override N: u32 = 4096;      // bytes
override LETTERS: u32 = 64;  // of each word

@group(0) @binding(0) var<storage, read> packed: array<u32>;
@group(0) @binding(1)
var<storage, read_write> text: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i >= N) {
        return;
    }
    let byte = (packed[i / 4u] >> (8u * (i % 4u))) & 255u;
    let is_space = i % (LETTERS + 1u) == 0u;
    text[i] = select(97u + byte % 26u, 32u, is_space);
}
