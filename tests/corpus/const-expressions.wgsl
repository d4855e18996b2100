// runs
// out[0..] = 24 8 3 5 1 0 3 2 6 64
// real[0..] = 2 3 5 1 0.5 8

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> real: array<f32>;

const side = 4u;
const sizes = array<u32, 3>(side, side * 2u, side + 1u);
const point = vec3(1.0, 2.0, 3.0);
const grid = mat2x2<f32>(1.0, 2.0, 3.0, 4.0);
const flag = side > 3u && !(side == 5u);
struct Part { at: vec2<u32>, len: u32 }
const part = Part(vec2(1u, 3u), 2u);

@compute @workgroup_size(side, side / 2u)
fn main(@builtin(local_invocation_index) i: u32) {
    if i != 0u { return; }
    out[0] = sizes[0] * (sizes[2] + 1u);
    out[1] = sizes[1];
    out[2] = part.at.y;
    out[3] = sizes[2];
    out[4] = u32(flag);
    out[5] = select(1u, 0u, flag);
    const local = 1u + 2u;
    out[6] = local;
    out[7] = part.len;
    out[8] = countOneBits(0x3Fu);
    out[9] = 1u << 6u;
    real[0] = point.y;
    real[1] = grid[1][0];
    real[2] = length(vec2(3.0, 4.0));
    real[3] = sign(3.5);
    real[4] = fract(2.5);
    real[5] = floor(8.75);
}
