// runs

@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    let a = data[i + 1u];
    let m22 = mat2x2(vec2(a, 1.0), vec2(2.0, a));
    let m23 = mat2x3(vec3(a, 1.0, 2.0), vec3(3.0, a, 4.0));
    let m24 = mat2x4(vec4(a), vec4(1.0, a, 2.0, 3.0));
    let m32 = mat3x2(vec2(a), vec2(1.0, 2.0), vec2(a, 3.0));
    let m33 = mat3x3(vec3(a), vec3(1.0, 2.0, 3.0), vec3(a, 4.0, a));
    let m34 = mat3x4(vec4(a), vec4(1.0), vec4(2.0, a, 3.0, a));
    let m42 = mat4x2(vec2(a), vec2(1.0), vec2(2.0), vec2(a, 3.0));
    let m43 = mat4x3(vec3(a), vec3(1.0), vec3(2.0, a, 3.0), vec3(4.0));
    let m44 = mat4x4(vec4(a), vec4(1.0, a, 2.0, 3.0), vec4(4.0), vec4(a, 5.0, 6.0, a));
    let p = m22 * m32 * m23 * m22;
    let q = m33 * m43 * m34 * m33;
    let r = m44 * m24 * m42 * m44;
    let s = determinant(m22) + determinant(m33) + determinant(m44);
    let t = transpose(m23)[0] + transpose(m42)[0].xy + (vec4(a) * m24) + (m43 * vec4(1.0)).xy;
    out[i] = p[1].x + q[2].y + r[3].w + s + t.x + (m34 * 2.0)[2][1] + (2.0 * m32 - m32)[i % 3u][i % 2u];
}
