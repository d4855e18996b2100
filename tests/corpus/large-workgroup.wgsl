// refused: invocations at line 4

@compute @workgroup_size(4096, 4096, 64)
fn main() {}
