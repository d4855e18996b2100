// refused: subgroup operations at line 7

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupShuffle(i, 1u) + subgroupShuffleXor(i, 2u) + subgroupShuffleUp(i, 1u) + subgroupShuffleDown(i, 1u);
}
