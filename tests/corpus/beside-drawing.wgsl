// runs
// out[0..] = 4

struct Corner { @builtin(position) at: vec4<f32>, @location(0) @interpolate(flat) n: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var picture: texture_2d<f32>;
@group(0) @binding(2) var smooth_sampler: sampler;

@vertex
fn corners(@builtin(vertex_index) i: u32) -> Corner {
    return Corner(vec4(f32(i), 0.0, 0.0, 1.0), i);
}

@fragment
fn colour(c: Corner, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    if !front { discard; }
    let wide = fwidth(c.at.x) + dpdx(c.at.y) + dpdyFine(c.at.y);
    return textureSample(picture, smooth_sampler, c.at.xy) * wide;
}

@compute @workgroup_size(1)
fn main() {
    out[0] = 4u;
}
