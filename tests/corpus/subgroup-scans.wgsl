// runs
// out[0..] = 4 6 1015 3048 6202 11095 22221 76468

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

// Eight invocations are one warp at every width.
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupExclusiveAdd(i) * 1000u + subgroupInclusiveAdd(i);
    out[i] += subgroupExclusiveMul(i + 1u) * 3u + subgroupInclusiveMul(i + 1u);
}
