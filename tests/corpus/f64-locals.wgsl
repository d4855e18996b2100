// refused: 64-bit at line 7

@group(0) @binding(0) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = f64(i) * 2.0lf;
    out[0] = f32(x);
}
