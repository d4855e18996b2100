// rejected: no WGSL at line 1

@group(0) @binding(1);
@compute @workgroup_size(1)
fn main() {}
