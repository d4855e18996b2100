// refused: subgroup operations at line 7

@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupBallot(i % 2u == 0u);
}
