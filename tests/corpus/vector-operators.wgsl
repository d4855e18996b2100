// runs
// out[0..] = 3 4 5 6 1 4 9 16 4 3 2 1 0 1 2 3 10 10 10 10
// out[20..] = 4 3 0 16

@group(0) @binding(0) var<storage, read> data: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

fn put(at: u32, v: vec4<f32>) {
    out[at] = v.x;
    out[at + 1u] = v.y;
    out[at + 2u] = v.z;
    out[at + 3u] = v.w;
}

@compute @workgroup_size(1)
fn main() {
    let a = data[0] + 1.0;
    put(0u, a + vec4(2.0));
    put(4u, a * a);
    put(8u, 5.0 - a);
    put(12u, (a - 1.0) / 1.0);
    put(16u, vec4<f32>(dot(a, vec4(1.0))));
    let i = vec3<i32>(a.xyz);
    let u = vec2<u32>(a.yz);
    out[20] = f32((i << vec3<u32>(2u)).x);
    out[21] = f32((i | vec3(1)).y);
    out[22] = f32((u % vec2(3u)).y);
    out[23] = f32(i.z * 4 + (i ^ i).x + 4);
}
