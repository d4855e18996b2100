// refused: too large at line 5

@compute @workgroup_size(1)
fn main() {
    var a: array<u32, 4000000>;
    a[0] = 1u;
}
