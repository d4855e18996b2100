// rejected: Workgroup size at line 4

@compute @workgroup_size(0)
fn main() {}
