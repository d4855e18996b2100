// rejected: negative index at line 6

@compute @workgroup_size(1)
fn main() {
    var a = array<u32, 3>();
    a[-1] = 1u;
}
