// runs
// out[0..] = 1 0.0999755859375 -2048 65504 0

@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main() {
    out[0] = quantizeToF16(data[1]);
    out[1] = quantizeToF16(data[1] * 0.1);
    out[2] = quantizeToF16(vec2(data[1] * -2048.5)).y;
    out[3] = quantizeToF16(vec4(data[1] * 65504.0)).w;
    out[4] = quantizeToF16(vec3(data[0])).z;
}
