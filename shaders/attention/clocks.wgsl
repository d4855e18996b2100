// Clocks that one SM of an H100 needs for 1,024 scores of each
// head size: for both products on its tensor cores, and for the
// exponentials. A row has the two; rows are 32, 64, 128, 256.

override EXPONENTIALS: u32 = 16;  // per clock and SM
override PRODUCTS: u32 = 4096;    // bf16 operations likewise

@group(0) @binding(0) var<storage, read_write> clocks: array<f32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32) {
    let d = 32u << lane;
    clocks[2u * lane] = f32(4u * d * 1024u) / f32(PRODUCTS);
    clocks[2u * lane + 1u] = 1024.0 / f32(EXPONENTIALS);
}
