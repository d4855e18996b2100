// runs
// out[0..] = 16

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
const n = 16u;
const_assert n == 16u;
const_assert(n > 3u && n % 4u == 0u);

@compute @workgroup_size(1)
fn main() {
    const_assert n != 17u;
    const m = n * 2u;
    const_assert m == 32u;
    out[0] = m - n;
}
