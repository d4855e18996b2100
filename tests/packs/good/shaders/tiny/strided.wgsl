// Stands for a kernel.
override BLOCK: u32;
const STRIDE: u32 = 1; // A `const`, as an array's size would need it.
const SPAN: u32 = BLOCK * STRIDE;

@compute @workgroup_size(1)
fn main() {}
