// runs
// out[0..] = 1 4 9 16 25 36 49 64
// out[8..] = 0 1 0 1 0 1 0 1

const squares = array<u32, 8>(1u, 4u, 9u, 16u, 25u, 36u, 49u, 64u);
const points = array(vec2(0u, 1u), vec2(1u, 0u));
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = squares[i];
    let local = points;
    out[8u + i] = local[i % 2u].x;
}
