// refused: too large at line 7

var<private> a: array<u32, 9000>;
var<private> b: array<u32, 9000>;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
    a[i] = 1u;
    b[i] = a[i];
}
