// runs
// out[0..] = 3 -3 2 -2 2 -2 -2 -2 0.5 1 -1 0 1 0 3 2 8 0.5 2 0 0.5

@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main() {
    let x = data[5] * 0.5;
    out[0] = ceil(x);
    out[1] = floor(-x);
    out[2] = floor(x);
    out[3] = ceil(-x);
    out[4] = round(x);
    out[5] = round(-x);
    out[6] = trunc(-x);
    out[7] = -trunc(x);
    out[8] = fract(x);
    out[9] = sign(x);
    out[10] = sign(-x);
    out[11] = sign(data[0]);
    out[12] = saturate(x);
    out[13] = saturate(-x);
    out[14] = sqrt(data[9]);
    out[15] = log2(data[4]);
    out[16] = exp2(data[3]);
    out[17] = inverseSqrt(data[4]);
    out[18] = clamp(x, 1.0, data[2]);
    out[19] = step(data[3], x);
    out[20] = smoothstep(data[2], data[3], x);
}
