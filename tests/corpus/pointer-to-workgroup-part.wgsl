// rejected: passed into functions at line 6

var<workgroup> tile: array<array<u32, 8>, 2>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

fn put(row: ptr<workgroup, array<u32, 8>>, i: u32, value: u32) {
    (*row)[i] = value;
}

fn take(all: ptr<workgroup, array<array<u32, 8>, 2>>, i: u32) -> u32 {
    return (*all)[0][i] + all[1][i];
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    put(&tile[0], i, i);
    put(&tile[1u - i / 8u], i, i * 2u);
    workgroupBarrier();
    out[i] = take(&tile, i);
}
