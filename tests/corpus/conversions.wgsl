// runs
// out[0..] = 3 4294967040 0 1 1065353216 4294967295 0 1 0 3212836864
// signed[0..] = -3 2147483520 -2147483648 0 -1 1065353216 1
// real[0..] = -3 4294967296 1 1 2

@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> signed: array<i32>;
@group(0) @binding(3) var<storage, read_write> real: array<f32>;

@compute @workgroup_size(1)
fn main() {
    let one = data[1];
    out[0] = u32(one * 3.9);
    out[1] = u32(one * 1e20);
    out[2] = u32(-one);
    out[3] = u32(bool(one));
    out[4] = bitcast<u32>(one);
    out[5] = u32(-i32(one));
    out[6] = u32(data[0] / data[0]);
    out[7] = u32(one != 0.0);
    out[8] = u32(bool(u32(data[0])));
    out[9] = bitcast<vec2<u32>>(vec2(-one)).y;
    signed[0] = i32(-3.9 * one);
    signed[1] = i32(one * 1e20);
    signed[2] = i32(one * -1e20);
    signed[3] = i32(data[0] / data[0]);
    signed[4] = bitcast<i32>(out[5]);
    signed[5] = bitcast<i32>(one);
    signed[6] = i32(true);
    real[0] = f32(signed[0]);
    real[1] = f32(out[5]);
    real[2] = bitcast<f32>(1065353216u + u32(data[0]));
    real[3] = f32(one == 1.0);
    real[4] = vec3<f32>(vec3<u32>(u32(data[2]))).y;
}
