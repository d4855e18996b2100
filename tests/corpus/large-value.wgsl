// refused: too large at line 7

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
    let a = array<u32, 500000000>();
    out[0] = a[i];
}
