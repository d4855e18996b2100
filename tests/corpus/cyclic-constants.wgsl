// rejected: cyclic at line 4

const a = b + 1;
const b = a + 1;
@compute @workgroup_size(1)
fn main() {}
