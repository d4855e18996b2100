// rejected: overflowed at line 3

const a = (-2147483647i - 1i) / -1i;
@compute @workgroup_size(1)
fn main() {}
