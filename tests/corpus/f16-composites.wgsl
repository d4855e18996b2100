// runs
// out[0..] = 4

enable f16;
alias Half = f16;
struct Mixed { a: f16, b: vec3<f16>, c: mat2x3<f16>, d: f32 }
var<private> mine: Mixed;
var<workgroup> ours: array<vec2<Half>, 4>;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main() {
    mine.b = vec3<f16>(1.0h);
    ours[0] = mine.b.xy;
    out[0] = f32(dot(mine.b, mine.b)) + f32(ours[0].y) + mine.d;
}
