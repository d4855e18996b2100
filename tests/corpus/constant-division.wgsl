// rejected: Division by zero at line 5

@compute @workgroup_size(1)
fn main() {
    let a = 1 / 0;
}
