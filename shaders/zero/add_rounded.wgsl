// Adds up the gradients of many micro-batches, all of them 1,
// and rounds each sum to the bits that a format keeps.
// A lane has one format: bf16, f16, f32.

override MICRO: u32 = 1024;  // micro-batches of a step

@group(0) @binding(0) var<storage, read_write> sums: array<f32>;

// The nearest number of so many bits; of two, the even one.
fn rounded(x: f32, bits: u32) -> f32 {
    let dropped = 24 - bits;
    if (dropped == 0) {
        return x;
    }
    let word = bitcast<u32>(x);
    let odd = (word >> dropped) & 1;
    let up = word + (1u << (dropped - 1)) - 1 + odd;
    return bitcast<f32>(up >> dropped << dropped);
}

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) format: u32) {
    let kept = array<u32, 3>(8, 11, 24);
    var sum = 0.0;
    for (var micro = 0u; micro < MICRO; micro++) {
        sum = rounded(sum + 1.0, kept[format]);
    }
    sums[format] = sum;
}
