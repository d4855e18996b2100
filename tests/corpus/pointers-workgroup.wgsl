// runs
// out[0..] = 0 3 6 9 12 15 18 21

var<workgroup> tile: array<array<u32, 8>, 2>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

fn put(r: u32, i: u32, value: u32) {
    let row = &tile[r];
    let cell = &(*row)[i];
    *cell = value;
}

fn take(i: u32) -> u32 {
    let all = &tile;
    return (*all)[0][i] + all[1][i];
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    put(0u, i, i);
    put(1u - i / 8u, i, i * 2u);
    workgroupBarrier();
    out[i] = take(i);
}
