// Softmax backward, a warp a row: against a workgroup a row,
// LANES lanes share a row, and a workgroup has several rows.
// No barrier is needed where a subgroup has LANES lanes or
// more. Long rows need more registers than LANES lanes have.
// #include "row_lanes.wgsl"

enable subgroups;

override ROWS: u32 = 128;   // rows of y, dy and dx
override COLS: u32 = 512;   // columns of y, dy and dx
override BLOCK: u32 = 128;  // workgroup size, a power of 2
override LANES: u32 = 32;   // lanes for a row, a power of 2
// Vectors of y, and of dy, that a lane keeps:
// COLS / 4 / LANES, rounded up.
const PER_LANE: u32 = 4;

@group(0) @binding(0) var<storage, read> y: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> dy: array<vec4<f32>>;
@group(0) @binding(2)
var<storage, read_write> dx: array<vec4<f32>>;

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
    var y_cells: array<vec4<f32>, PER_LANE>;
    var dy_cells: array<vec4<f32>, PER_LANE>;
    var dot_y_dy = 0.0;
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * LANES;
        if (4u * i < COLS) {
            y_cells[k] = y[start + i];
            dy_cells[k] = dy[start + i];
            dot_y_dy += dot(y_cells[k], dy_cells[k]);
        }
    }
    dot_y_dy = row_lanes_sum(lane, dot_y_dy);
    if (row >= ROWS) {
        return;
    }
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * LANES;
        if (4u * i < COLS) {
            let dy_centred = dy_cells[k] - dot_y_dy;
            dx[start + i] = y_cells[k] * dy_centred;
        }
    }
}
