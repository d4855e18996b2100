// Cross-entropy of each row and its gradient, in one kernel:
// with lse = log of the sum of e^x,
// loss = lse - x[target] + z lse², dx = (1 + 2 z lse) y - t.
// The softmax y and the one-hot t are never stored: 8 bytes an
// element, as many as a copy moves.
// #include "workgroup_max.wgsl"
// #include "workgroup_sum.wgsl"
// #include "vec4.wgsl"

enable subgroups;

override ROWS: u32 = 128;   // rows of x and dx
override COLS: u32 = 512;   // columns of x and dx
override BLOCK: u32 = 128;  // workgroup size, a power of 2
override Z: f32 = 0.0;      // weight of the z-loss, lse²
// Vectors that a lane keeps: COLS / 4 / BLOCK, rounded up.
const PER_LANE: u32 = 1;

// A logit that takes no part. A row with no other gives zeros,
// also as its loss.
const MASKED = -1.0e38;

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> targets: array<u32>;
@group(0) @binding(2)
var<storage, read_write> dx: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> loss: array<f32>;

// The elements of the one-hot target that are in vector i of
// the row: 1 at the target's column, 0 elsewhere.
fn one_hot(column: u32, i: u32) -> vec4<f32> {
    let columns = 4u * i + vec4<u32>(0u, 1u, 2u, 3u);
    let is_target = columns == vec4<u32>(column);
    return select(vec4<f32>(0.0), vec4<f32>(1.0), is_target);
}

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
    var cells: array<vec4<f32>, PER_LANE>;
    var row_max = MASKED;
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * BLOCK;
        cells[k] = vec4<f32>(MASKED);
        if (4u * i < COLS) {
            cells[k] = x[start + i];  // one access of 16 bytes
        }
        row_max = max(row_max, max_component(cells[k]));
    }
    row_max = workgroup_max(lane, row_max);

    var row_sum = 0.0;
    for (var k = 0u; k < PER_LANE; k++) {
        // Beyond the row's end this is 0.
        cells[k] = exp(cells[k] - row_max);
        row_sum += sum_components(cells[k]);
    }
    row_sum = workgroup_sum(lane, row_sum);

    // A row in which all logits are masked has no loss, and no
    // target either: column COLS is in no vector.
    let is_any_unmasked = row_max > MASKED;
    let row_lse = row_max + log(row_sum);
    let lse = select(0.0, row_lse, is_any_unmasked);
    let column = targets[row];
    if (local == 0u) {
        let x_target = x[start + column / 4u][column % 4u];
        let row_loss = lse - x_target + Z * lse * lse;
        loss[row] = select(0.0, row_loss, is_any_unmasked);
    }
    let factor = (1.0 + 2.0 * Z * lse) / row_sum;
    let y_factor = select(0.0, factor, is_any_unmasked);
    let hot_column = select(COLS, column, is_any_unmasked);
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * BLOCK;
        if (4u * i < COLS) {
            let t = one_hot(hot_column, i);
            dx[start + i] = cells[k] * y_factor - t;
        }
    }
}
