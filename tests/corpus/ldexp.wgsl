// runs
// out[0..] = 12 0.375 6 24 0 inf

@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main() {
    let z = i32(data[0]);
    out[0] = ldexp(data[3], 2 + z);
    out[1] = ldexp(data[3], -3 + z);
    let v = ldexp(vec2(data[3]), vec2<i32>(1, 3) + z);
    out[2] = v.x;
    out[3] = v.y;
    out[4] = ldexp(vec3(data[0]), vec3<i32>(5)).x;
    out[5] = ldexp(vec4(data[1]), vec4<i32>(z + 128)).w;
}
