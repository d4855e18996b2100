// refused: too large at line 8

const a = array<array<u32, 20000>, 20000>();
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
    out[0] = a[i][i];
}
