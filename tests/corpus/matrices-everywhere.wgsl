// runs
// out[0..] = 6 6 6 9 4 2

@group(0) @binding(0) var<storage, read_write> out: array<f32>;
var<private> mine: mat4x2<f32>;
var<workgroup> ours: mat2x4<f32>;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
    var here = mat3x3<f32>();
    here[i + 1u][2] = 6.0;
    mine[i + 3u][i] = 6.0;
    ours[1][i + 2u] = 6.0;
    out[0] = here[1].z;
    out[1] = mine[3].x;
    out[2] = ours[1][2];
    here[2] = vec3(9.0);
    out[3] = here[2][i];
    mine[0] += vec2(2.0);
    out[4] = mine[0].x * 2.0;
    ours = mat2x4(vec4(1.0), vec4(2.0));
    out[5] = ours[1].w;
}
