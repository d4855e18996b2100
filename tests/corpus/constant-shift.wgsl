// rejected: shift at line 5

@compute @workgroup_size(1)
fn main() {
    let a = 1u << 32u;
}
