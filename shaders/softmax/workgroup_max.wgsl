// The maximum of the values of all lanes of a workgroup:
// within each subgroup, then over the subgroups' results.
// #include "subgroup_lane.wgsl"

// A word for each subgroup. The narrowest has 4 lanes.
var<workgroup> maxima: array<f32, BLOCK / 4>;

// BLOCK and lane.size are powers of 2, so all subgroups are
// full, or there is only one.
fn workgroup_max(lane: SubgroupLane, value: f32) -> f32 {
    let subgroup_max = subgroupMax(value);
    if (lane.id == 0u) {
        maxima[lane.subgroup] = subgroup_max;
    }
    workgroupBarrier();
    var result = value;
    for (var i = lane.id; i < lane.subgroups; i += lane.size) {
        result = max(result, maxima[i]);
    }
    return subgroupMax(result);
}
