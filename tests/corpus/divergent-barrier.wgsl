// runs
// finds divergent_barrier at line 10

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < 4u {
        out[i] = i;
        workgroupBarrier();
    }
}
