// refused: samplers at line 3

@group(0) @binding(0) var near: sampler;
@group(0) @binding(1) var picture: texture_2d<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(1)
fn main() {
    out[0] = textureSampleLevel(picture, near, vec2(0.5), 0.0);
}
