// rejected: not representable at line 5

@compute @workgroup_size(1)
fn main() {
    let a: u32 = 99999999999999999999999999;
}
