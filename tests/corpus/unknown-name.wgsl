// rejected: colour at line 5

@compute @workgroup_size(1)
fn main() {
    let a = colour + 1;
}
