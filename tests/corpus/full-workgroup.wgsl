// runs
// out[0..] = 1024 1023

@group(0) @binding(0) var<storage, read_write> out: array<atomic<u32>>;

@compute @workgroup_size(16, 8, 8)
fn main(@builtin(local_invocation_index) i: u32) {
    atomicAdd(&out[0], 1u);
    atomicMax(&out[1], i);
}
