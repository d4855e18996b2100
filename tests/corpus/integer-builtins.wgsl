// runs
// out[0..] = 3 7 5 2 5 7
// signed[0..] = 7 -7 3 -3 -1 1 0 -2147483648 2

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> signed: array<i32>;

@compute @workgroup_size(1)
fn main() {
    let a = data[7];
    let b = data[3];
    out[0] = min(a, b);
    out[1] = max(a, b);
    out[2] = clamp(a, b, 5u);
    out[3] = clamp(vec2(a, b), vec2(1u), vec2(2u)).y;
    out[4] = min(vec3(a), vec3(5u)).z;
    out[5] = abs(vec4(a)).w;
    let c = -i32(a);
    let d = i32(b);
    signed[0] = abs(c);
    signed[1] = min(c, d);
    signed[2] = max(c, d);
    signed[3] = clamp(c, -3, d);
    signed[4] = sign(c);
    signed[5] = sign(vec2(d)).x;
    signed[6] = sign(vec3<i32>(i32(data[0]))).y;
    signed[7] = abs(i32(data[1] << 31u));
    signed[8] = max(vec4(c), vec4<i32>(2)).w;
}
