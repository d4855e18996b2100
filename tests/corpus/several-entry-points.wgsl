// runs
// drawn refused: textures at line 8
// first: out[0..] = 1
// second: out[0..] = 2 3

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> data: array<u32>;
@group(0) @binding(2) var picture: texture_2d<f32>;

@compute @workgroup_size(1)
fn first() { out[0] = 1u; }

@compute @workgroup_size(1)
fn drawn() { out[0] = u32(textureLoad(picture, vec2(0, 0), 0).x); }

@compute @workgroup_size(1)
fn second() { out[0] = 2u; out[1] = data[3]; }
