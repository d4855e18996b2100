// refused: textures at line 3

@group(0) @binding(0) var a: texture_1d<f32>;
@group(0) @binding(1) var b: texture_2d_array<u32>;
@group(0) @binding(2) var c: texture_3d<i32>;
@group(0) @binding(3) var d: texture_cube<f32>;
@group(0) @binding(4) var e: texture_multisampled_2d<f32>;
@group(0) @binding(5) var f: texture_depth_2d;
@group(0) @binding(6) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(1)
fn main() {
    out[0] = textureLoad(a, 0, 0) + vec4<f32>(textureLoad(b, vec2(0), 0, 0)) + vec4<f32>(textureLoad(c, vec3(0), 0));
    out[1] = vec4<f32>(vec2<f32>(textureDimensions(d)), f32(textureNumLevels(d)), f32(textureNumSamples(e)));
    out[2] = textureLoad(e, vec2(0), 0) + textureLoad(f, vec2(0), 0);
}
