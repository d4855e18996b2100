// runs
// grid 0 1 1
// out[0..] = 0 0

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = 5u;
}
