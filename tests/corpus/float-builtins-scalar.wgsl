// runs

@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = data[i] / 16.0;
    let y = data[15u - i] / 16.0;
    var s = 0.0;
    s += abs(x) + acos(x) + acosh(x + 1.0) + asin(x) + asinh(x) + atan(x) + atanh(x * 0.9) + atan2(x, y);
    s += ceil(x) + clamp(x, 0.1, 0.9) + cos(x) + cosh(x) + degrees(x) + distance(x, y) + exp(x) + exp2(x);
    s += floor(x) + fma(x, y, s) + fract(x) + inverseSqrt(x + 1.0) + length(x) + log(x + 1.0) + log2(x + 1.0);
    s += max(x, y) + min(x, y) + mix(x, y, 0.25) + pow(x, y) + quantizeToF16(x) + radians(x) + round(x);
    s += saturate(x) + sign(x) + sin(x) + sinh(x) + smoothstep(0.0, 1.0, x) + sqrt(x) + step(x, y) + tan(x) + tanh(x) + trunc(x);
    out[i] = s;
}
