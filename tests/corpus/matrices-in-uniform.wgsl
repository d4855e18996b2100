// runs
// out[0..] = 12 9 6 21 13

struct Numbers {
    a: mat2x2<f32>,
    b: mat4x3<f32>,
    c: vec3<f32>,
    d: f32,
}
@group(0) @binding(0) var<uniform> given: Numbers;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
    // Words: a 0..4, b in columns 4, 8, 12, 16, c 20..23, d 23.
    out[0] = given.b[i + 2u][i];
    out[1] = given.b[1].y;
    out[2] = (given.a * vec2(2.0, 1.0)).y + given.a[0].y;
    out[3] = given.c.y;
    out[4] = given.d - given.b[1][2];
}
