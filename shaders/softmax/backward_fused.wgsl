// Fused softmax backward: against two sweeps, the row's y and
// dy stay in registers between the sum and the stores.
// Each is loaded once and dx is stored once: 12 bytes an
// element. Of rows too long for that, a lane keeps KEPT of its
// vectors of dy and loads the others again.
// #include "workgroup_sum.wgsl"

enable subgroups;

override ROWS: u32 = 128;   // rows of y, dy and dx
override COLS: u32 = 512;   // columns of y, dy and dx
override BLOCK: u32 = 128;  // workgroup size, a power of 2
// Vectors of y that a lane keeps: COLS / 4 / BLOCK, rounded up.
const PER_LANE: u32 = 1;
// Vectors of dy that a lane keeps, PER_LANE at most.
const KEPT: u32 = 1;

@group(0) @binding(0) var<storage, read> y: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> dy: array<vec4<f32>>;
@group(0) @binding(2)
var<storage, read_write> dx: array<vec4<f32>>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    lane: SubgroupLane,
) {
    let row = group.x + group.y * groups.x;
    if (row >= ROWS) {
        return;
    }
    let start = row * COLS / 4u;
    var y_cells: array<vec4<f32>, PER_LANE>;
    var dy_cells: array<vec4<f32>, KEPT>;
    var dot_y_dy = 0.0;
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * BLOCK;
        if (4u * i < COLS) {
            y_cells[k] = y[start + i];
            let dy_i = dy[start + i];
            dot_y_dy += dot(y_cells[k], dy_i);
            if (k < KEPT) {
                dy_cells[k] = dy_i;
            }
        }
    }
    dot_y_dy = workgroup_sum(lane, dot_y_dy);

    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * BLOCK;
        if (4u * i < COLS) {
            var dy_i: vec4<f32>;
            if (k < KEPT) {
                dy_i = dy_cells[k];
            } else {
                dy_i = dy[start + i];  // often still cached
            }
            let dy_centred = dy_i - dot_y_dy;
            dx[start + i] = y_cells[k] * dy_centred;
        }
    }
}
