// refused: 64-bit at line 7

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = u64(i) + 5lu;
    let y = i64(i) - 5li;
    out[0] = u32(x) + u32(y);
}
