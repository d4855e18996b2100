// rejected: Uniform at line 4

struct Bad { a: f32, b: array<f32, 4> }
@group(0) @binding(0) var<uniform> bad: Bad;

@compute @workgroup_size(1)
fn main() {
    _ = bad.a;
}
