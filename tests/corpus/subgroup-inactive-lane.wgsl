// runs
// finds inactive_lane at line 9

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

// Eight invocations are one warp at every width.
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < 4u { out[i] = subgroupShuffleXor(i, 4u); }
}
