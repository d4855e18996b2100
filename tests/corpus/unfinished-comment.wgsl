// rejected: comment at line 5

@compute @workgroup_size(1)
fn main() {}
/* and then /* nothing */
