// runs
// out[0..] = 0.75 3 0.5

@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@group(0) @binding(1) var<storage, read> data: array<f32>;

fn split(x: f32) -> vec2<f32> {
    let parts = frexp(x);
    var kept = modf(x + 0.5);
    kept.whole = f32(parts.exp);
    return vec2(parts.fract, kept.whole);
}

@compute @workgroup_size(1)
fn main() {
    let s = split(data[6]);
    out[0] = s.x;
    out[1] = s.y;
    out[2] = modf(data[5] * 0.5).fract;
}
