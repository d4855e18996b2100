// runs

enable dual_source_blending;

struct Both {
    @location(0) @blend_src(0) a: vec4<f32>,
    @location(0) @blend_src(1) b: vec4<f32>,
}

@fragment
fn colour() -> Both {
    return Both(vec4(1.0), vec4(0.5));
}

@compute @workgroup_size(1)
fn main() {}
