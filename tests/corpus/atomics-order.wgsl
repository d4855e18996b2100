// runs
// finds race at line 10

var<workgroup> bins: array<atomic<u32>, 8>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < 8u {
        atomicStore(&bins[i], 0u); atomicAdd(&bins[(i + 1u) % 8u], 1u);
    }
    workgroupBarrier();
    out[i] = atomicLoad(&bins[i]);
}
