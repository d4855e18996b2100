// runs
// out[0..] = 0.75 0.5 3 -0.25 -3 0.5 7 0.5 1
// signed[0..] = 3 4 1 -1

@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<storage, read_write> signed: array<i32>;

@compute @workgroup_size(1)
fn main() {
    let a = frexp(data[6]);
    out[0] = a.fract;
    signed[0] = a.exp;
    let b = modf(data[7] * 0.5);
    out[1] = b.fract;
    out[2] = b.whole;
    let c = modf(vec2(data[13] * -0.25, data[15] * 0.5));
    out[3] = c.fract.x;
    out[4] = c.whole.x;
    out[5] = c.fract.y;
    out[6] = c.whole.y;
    let d = frexp(vec3(data[8], data[1], data[1] * 0.25));
    out[7] = d.fract.x;
    signed[1] = d.exp.x;
    signed[2] = d.exp.y;
    signed[3] = d.exp[2];
    let e = modf(vec4(1.5));
    out[8] = e.whole.w;
}
