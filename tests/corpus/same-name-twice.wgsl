// rejected: redefinition at line 4

fn f() {}
fn f() {}
@compute @workgroup_size(1)
fn main() {}
