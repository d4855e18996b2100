// runs
// out[0..] = 1 1 1 1 1 1 1 1

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

// Eight invocations are one warp at every width.
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u32(subgroupAny(i == 3u)) + u32(subgroupAll(i < 7u));
}
