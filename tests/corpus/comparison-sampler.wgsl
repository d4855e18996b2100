// refused: textures at line 3

@group(0) @binding(0) var depths: texture_depth_2d;
@group(0) @binding(1) var compare: sampler_comparison;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main() {
    out[0] = textureSampleCompareLevel(depths, compare, vec2(0.5), 0.5);
}
