// runs
// out[0..] = 63 42 21 5 2 1

@group(0) @binding(0) var<storage, read> data: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

fn bits(a: bool, b: bool, c: bool, d: bool, e: bool, f: bool) -> u32 {
    return u32(a) | (u32(b) << 1u) | (u32(c) << 2u) | (u32(d) << 3u) | (u32(e) << 4u) | (u32(f) << 5u);
}

@compute @workgroup_size(1)
fn main() {
    let a = data[2] - 5;
    let b = data[4];
    out[0] = bits((a < b), (a <= b), (b > a), (b >= a), a != b, a == a);
    out[1] = bits((a > b), (a < b), (a >= b), (a <= b), a == b, a != b);
    out[2] = bits((b > a), (b < a), (b >= a), (b <= a), b != a, b == a);
    let x = vec3<f32>(f32(a), 0.0, f32(b)) < vec3<f32>(0.0, 0.0, 5.0);
    out[3] = bits(x.x, x.y, x.z, false, false, false);
    let y = vec2<u32>(u32(a), u32(b)) < vec2<u32>(u32(b));
    let z = vec2<i32>(a, b) > vec2<i32>(b, a);
    out[4] = bits(y.x, z.y, y.y, z.x, false, false);
    out[5] = bits((f32(a) < f32(b)), (f32(a) > f32(b)), f32(a) == f32(b), y.x, z.x, y.y);
}
