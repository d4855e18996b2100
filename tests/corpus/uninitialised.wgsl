// runs
// finds uninitialized at line 10

var<workgroup> tile: array<u32, 8>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = i;
    out[i] = tile[i + 4u];
}
