// runs
// out[0..] = 3.5 9.875 1

enable f16;
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main() {
    let a = f16(data[1]);
    let b = a * 2.5h + f16(1);
    out[0] = f32(b);
    out[1] = f32(sqrt(b) + max(a, b) + fma(a, b, a));
    out[2] = f32(a < b);
}
