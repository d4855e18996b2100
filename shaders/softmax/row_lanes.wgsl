// LANES lanes that share a row, and the sum of their values.
// A subgroup as wide as LANES or wider exchanges values
// without a barrier. Narrower ones, of which LANES / size
// share a row, exchange their results in workgroup memory.
// #include "subgroup_lane.wgsl"

// The results of subgroups narrower than LANES, by position.
var<workgroup> results: array<f32, BLOCK>;

// A lane's position among all lanes of its workgroup, in the
// order of subgroups. Lanes LANES * r to LANES * r + LANES - 1
// share the workgroup's row r. BLOCK and lane.size are powers
// of 2, so all subgroups are full, or there is only one.
fn position_of(lane: SubgroupLane) -> u32 {
    return lane.subgroup * lane.size + lane.id;
}

// The sum of the values of a row's lanes.
fn row_lanes_sum(lane: SubgroupLane, value: f32) -> f32 {
    var result = value;
    let exchanged = min(LANES, lane.size);
    for (var bit = 1u; bit < exchanged; bit *= 2u) {
        result += subgroupShuffleXor(result, bit);
    }
    if (lane.size < LANES) {
        let position = position_of(lane);
        results[position] = result;
        workgroupBarrier();
        result = 0.0;
        let first = position / LANES * LANES;
        for (var i = 0u; i < LANES; i += lane.size) {
            result += results[first + i];
        }
        workgroupBarrier();
    }
    return result;
}
