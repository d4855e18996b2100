// rejected: forbidden at line 4

@compute @workgroup_size(1)
fn main() {
    discard;
}
