// rejected: 1e999 at line 5

@compute @workgroup_size(1)
fn main() {
    let a: f32 = 1e999;
}
