// runs
// out[0..] = 1

struct Never { a: mat4x4<f32>, b: array<u32> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> unused_buffer: Never;
@group(0) @binding(2) var unused_texture: texture_2d<f32>;
@group(0) @binding(3) var unused_sampler: sampler;
var<private> unused_private: array<u32, 99>;
var<workgroup> unused_shared: array<vec4<u32>, 999>;
const unused_const = 3;
override unused_override: u32 = 3;

fn unused_function(a: u32) -> f32 {
    return textureLoad(unused_texture, vec2(0, 0), 0).x + f32(a);
}

@compute @workgroup_size(1)
fn main(@builtin(num_workgroups) unused: vec3<u32>) {
    let unused_let = 3u;
    var unused_var = vec3<f32>(1.0);
    out[0] = 1u;
}
