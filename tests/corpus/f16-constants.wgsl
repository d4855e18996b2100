// runs
// out[0..] = 0 1073757184

enable f16;
const half = 0.5h;
const v = vec2<f16>(1.0h, 2.0h);
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
    out[0] = u32((v * half)[i]);
    out[1] = pack2x16float(vec2<f32>(v));
}
