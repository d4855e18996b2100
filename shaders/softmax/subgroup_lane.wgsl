// Where a lane is in its workgroup, in terms of subgroups.
// WGSL does not say how this relates to
// local_invocation_index.
struct SubgroupLane {
    // Its number within its subgroup.
    @builtin(subgroup_invocation_id) id: u32,
    // Lanes of a full subgroup: a power of 2, from 4 to 128.
    @builtin(subgroup_size) size: u32,
    // The number of its subgroup.
    @builtin(subgroup_id) subgroup: u32,
    // Subgroups in the workgroup.
    @builtin(num_subgroups) subgroups: u32,
}
