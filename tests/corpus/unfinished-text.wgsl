// rejected: expected expression at line 6

@compute @workgroup_size(1)
fn main() {
    let a = 1 +
