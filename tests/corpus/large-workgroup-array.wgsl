// refused: too large at line 3

var<workgroup> a: array<vec4<f32>, 100000>;

@compute @workgroup_size(1)
fn main() {
    a[0].x = 1.0;
}
