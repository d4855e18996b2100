// rejected: overflow at line 3

const a = 9223372036854775807 + 1;
@compute @workgroup_size(1)
fn main() {}
