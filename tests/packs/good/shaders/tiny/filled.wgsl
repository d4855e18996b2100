// Stands for a kernel.

@compute @workgroup_size(1)
fn main() {}
