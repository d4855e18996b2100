// Softmax, a warp a row: against a workgroup a row, LANES lanes
// share a row, and a workgroup has several rows.
// No barrier is needed where a subgroup has LANES lanes or
// more. Long rows need more registers than LANES lanes have.
// #include "row_lanes.wgsl"
// #include "vec4.wgsl"

enable subgroups;

override ROWS: u32 = 128;   // rows of x and y
override COLS: u32 = 512;   // columns of x and y
override BLOCK: u32 = 128;  // workgroup size, a power of 2
override LANES: u32 = 32;   // lanes for a row, a power of 2
// Vectors that a lane keeps: COLS / 4 / LANES, rounded up.
const PER_LANE: u32 = 4;

// A logit that takes no part. A row with no other gives zeros.
const MASKED = -1.0e38;

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1)
var<storage, read_write> y: array<vec4<f32>>;

// The maximum of the values of a row's lanes, found as
// row_lanes_sum finds their sum.
fn row_lanes_max(lane: SubgroupLane, value: f32) -> f32 {
    var result = value;
    let exchanged = min(LANES, lane.size);
    for (var bit = 1u; bit < exchanged; bit *= 2u) {
        result = max(result, subgroupShuffleXor(result, bit));
    }
    if (lane.size < LANES) {
        let position = position_of(lane);
        results[position] = result;
        workgroupBarrier();
        let first = position / LANES * LANES;
        for (var i = 0u; i < LANES; i += lane.size) {
            result = max(result, results[first + i]);
        }
        workgroupBarrier();
    }
    return result;
}

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    lane: SubgroupLane,
) {
    let position = position_of(lane);
    let local = position % LANES;
    let first_row =
        (group.x + group.y * groups.x) * (BLOCK / LANES);
    let row = first_row + position / LANES;
    // Beyond the last row, lanes do as the others do and store
    // nothing: all lanes take part in the exchanges.
    let start = min(row, ROWS - 1u) * COLS / 4u;
    var cells: array<vec4<f32>, PER_LANE>;
    var row_max = MASKED;
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * LANES;
        cells[k] = vec4<f32>(MASKED);
        if (4u * i < COLS) {
            cells[k] = x[start + i];  // one access of 16 bytes
        }
        row_max = max(row_max, max_component(cells[k]));
    }
    row_max = row_lanes_max(lane, row_max);

    var row_sum = 0.0;
    for (var k = 0u; k < PER_LANE; k++) {
        // Beyond the row's end this is 0.
        cells[k] = exp(cells[k] - row_max);
        row_sum += sum_components(cells[k]);
    }
    row_sum = row_lanes_sum(lane, row_sum);

    if (row >= ROWS) {
        return;
    }
    let scale = select(0.0, 1.0 / row_sum, row_max > MASKED);
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * LANES;
        if (4u * i < COLS) {
            y[start + i] = cells[k] * scale;
        }
    }
}
