// refused: textures at line 3

@group(0) @binding(0) var picture: texture_storage_2d<r32uint, atomic>;

@compute @workgroup_size(1)
fn main() {
    textureAtomicAdd(picture, vec2<i32>(0, 0), 1u);
}
