// rejected: out of at line 6

@compute @workgroup_size(1)
fn main() {
    var a = array<u32, 3>();
    a[3] = 1u;
}
