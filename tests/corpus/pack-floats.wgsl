// runs
// out[0..] = 4286611456 33151 2147450881 4294934528 1006682112
// real[0..] = 1 -1 0 0.4980392156862745 1 0 -1 1 -2 1 inf

@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> real: array<f32>;

@compute @workgroup_size(1)
fn main() {
    let one = data[1];
    let z = u32(data[0]);
    out[0] = pack4x8unorm(vec4(0.0, 0.5, 0.5, 7.0) * one);
    out[1] = pack4x8snorm(vec4(9.0, -1.0, 0.0, 0.0) * one) & 0xFFFFu;
    out[2] = pack2x16snorm(vec2(-one, one));
    out[3] = pack2x16unorm(vec2(0.5, 2.0) * one);
    out[4] = pack2x16float(vec2(-2.0, 1.0) * one);
    let s = unpack4x8snorm(0x0000817Fu + z);
    real[0] = s.x;
    real[1] = s.y;
    real[2] = s.z;
    real[3] = unpack4x8unorm(0x0000007Fu + z).x;
    let u = unpack2x16unorm(0x0000FFFFu + z);
    real[4] = u.x;
    real[5] = u.y;
    let t = unpack2x16snorm(0x80007FFFu + z);
    real[6] = t.y;
    real[7] = t.x;
    let h = unpack2x16float(0x3C00C000u + z);
    real[8] = h.x;
    real[9] = h.y;
    real[10] = unpack2x16float(0x00007C00u + z).x;
}
