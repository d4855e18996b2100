// rejected: Size exceeds limit at line 1

var<private> a: array<vec4<f32>, 4294967295u>;
@compute @workgroup_size(1)
fn main() {
    a[0].x = 1.0;
}
