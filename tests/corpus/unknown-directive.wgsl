// rejected: no_such_thing at line 3

enable no_such_thing;
@compute @workgroup_size(1)
fn main() {}
