// rejected: u32 at line 6

@compute @workgroup_size(1)
fn main() {
    var a: u32 = 1u;
    a = 1.5;
}
