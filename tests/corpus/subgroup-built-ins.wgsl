// runs
// out[0..] = 1 101 201 301 401 501 601 701

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

// Eight invocations are one warp at every width.
@compute @workgroup_size(8)
fn main(
    @builtin(local_invocation_index) i: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_id) id: u32,
    @builtin(num_subgroups) count: u32,
) {
    out[i] = min(size, 8u) - 8u + 100u * lane + id + count;
}
