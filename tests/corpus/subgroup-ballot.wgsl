// runs
// out[0..] = 85 0 0 0 85

@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;

// Eight invocations are one warp at every width.
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupBallot(i % 2u == 0u);
}
