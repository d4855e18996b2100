// The sum of the values of all lanes of a workgroup:
// within each subgroup, then over the subgroups' results.
// #include "subgroup_lane.wgsl"

// A word for each subgroup. The narrowest has 4 lanes.
var<workgroup> sums: array<f32, BLOCK / 4>;

// BLOCK and lane.size are powers of 2, so all subgroups are
// full, or there is only one.
fn workgroup_sum(lane: SubgroupLane, value: f32) -> f32 {
    let subgroup_sum = subgroupAdd(value);
    if (lane.id == 0u) {
        sums[lane.subgroup] = subgroup_sum;
    }
    workgroupBarrier();
    var result = 0.0;
    for (var i = lane.id; i < lane.subgroups; i += lane.size) {
        result += sums[i];
    }
    return subgroupAdd(result);
}
