// runs
// out[0..] = 5.5 0.5 7.5 1.2 0.5 -3 1 0 1 0 1 1
// out[12..] = inf -inf nan

@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main() {
    let a = data[3];
    let b = data[5] * 0.5;
    out[0] = a + b;
    out[1] = a - b;
    out[2] = a * b;
    out[3] = a / b;
    out[4] = a % b;
    out[5] = -a;
    out[6] = f32(a > b);
    out[7] = f32(a < b);
    out[8] = f32(a >= b);
    out[9] = f32(a == b);
    out[10] = f32(a != b);
    out[11] = f32(b <= a);
    out[12] = a / data[0];
    out[13] = -a / data[0];
    out[14] = data[0] / data[0];
}
