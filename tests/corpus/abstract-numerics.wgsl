// runs
// out[0..] = 1.5 7 3 0.5 4294967296 6 2.5 4
// whole[0..] = 6 -3 2147483647 -2147483648 12

@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@group(0) @binding(1) var<storage, read_write> whole: array<i32>;

const half = 1 / 2.0;
const big = 4294967296.0;
const product = 2 * 3;
const third: f32 = 3;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) zero: u32) {
    out[0] = 1 + half;
    out[1] = f32(zero) + 7;
    out[2] = third;
    out[3] = half;
    out[4] = big;
    out[5] = product;
    let v = vec2(1, 2.5);
    out[6] = v.y;
    out[7] = array(1, 2, 4.0)[2 - zero * 0 + 0u];
    whole[0] = product;
    whole[1] = -7 / 2;
    whole[2] = 0x7fffffff;
    whole[3] = -0x80000000;
    whole[4] = max(3, 4) * abs(-3);
}
