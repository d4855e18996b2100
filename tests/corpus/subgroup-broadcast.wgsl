// runs
// out[0..] = 13 13 13 13 13 13 13 13

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

// Eight invocations are one warp at every width.
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupBroadcastFirst(i + 10u) + subgroupBroadcast(i, 3u);
}
