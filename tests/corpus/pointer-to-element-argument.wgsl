// runs
// out[0..] = 2 4 6 8

var<private> cells: array<array<u32, 2>, 2> = array<array<u32, 2>, 2>(array<u32, 2>(1u, 2u), array<u32, 2>(3u, 4u));
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

fn double(p: ptr<private, u32>) {
    *p = *p * 2u;
}

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) zero: u32) {
    for (var k = 0u; k < 4u; k++) {
        double(&cells[k / 2u][k % 2u]);
        out[k] = cells[k / 2u + zero][k % 2u];
    }
}
