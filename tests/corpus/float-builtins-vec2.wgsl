// runs

alias V = vec2<f32>;
@group(0) @binding(0) var<storage, read> data: array<V>;
@group(0) @binding(1) var<storage, read_write> out: array<V>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = data[i] / 64.0;
    let y = data[15u - i] / 64.0;
    var s = V();
    s += abs(x) + acos(x) + acosh(x + 1.0) + asin(x) + asinh(x) + atan(x) + atanh(x * 0.9) + atan2(x, y);
    s += ceil(x) + clamp(x, V(0.1), V(0.9)) + cos(x) + cosh(x) + degrees(x) + distance(x, y) + exp(x) + exp2(x);
    s += floor(x) + fma(x, y, s) + fract(x) + inverseSqrt(x + 1.0) + length(x) + log(x + 1.0) + log2(x + 1.0);
    s += max(x, y) + min(x, y) + mix(x, y, 0.25) + mix(x, y, x) + pow(x, y) + quantizeToF16(x) + radians(x) + round(x);
    s += saturate(x) + sign(x) + sin(x) + sinh(x) + smoothstep(V(0.0), V(1.0), x) + sqrt(x) + step(x, y) + tan(x) + tanh(x) + trunc(x);
    s += normalize(x + 1.0) + faceForward(x, y, x) + reflect(x, y) + refract(x, y, 0.5) + dot(x, y) + modf(x).fract + frexp(x).fract + ldexp(x, vec2<i32>(2));
    out[i] = s;
}
