// refused: textures at line 3

@group(0) @binding(0) var picture: texture_storage_2d<rgba8unorm, write>;

@compute @workgroup_size(1)
fn main() {
    textureStore(picture, vec2(0, 0), vec4(1.0));
}
