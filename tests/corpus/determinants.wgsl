// runs
// out[0..] = -2 1 24 0 3

@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main() {
    let one = data[1];
    out[0] = determinant(mat2x2(one, 2.0, 3.0, 4.0));
    out[1] = determinant(mat3x3(one, 2.0, 3.0, 0.0, 1.0, 4.0, 5.0, 6.0, 0.0));
    out[2] = determinant(mat4x4(one, 0.0, 0.0, 0.0, 9.0, 2.0, 0.0, 0.0, 8.0, 7.0, 3.0, 0.0, 6.0, 5.0, 4.0, 4.0));
    out[3] = determinant(mat3x3(one, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0));
    out[4] = transpose(mat2x3(one, 2.0, 3.0, 4.0, 5.0, 6.0))[2][0];
}
