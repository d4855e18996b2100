// runs
// out[0..] = 1123 1032 1301 1210 5567 5476 5745 5654

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

// Eight invocations are one warp at every width.
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = quadBroadcast(i, 1u) * 1000u + quadSwapX(i) * 100u + quadSwapY(i) * 10u + quadSwapDiagonal(i);
}
