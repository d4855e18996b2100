// Fused softmax with one barrier: against two reductions, a
// subgroup takes exponentials from its own maximum.
// So it need not wait for the row's maximum. What differs is
// one factor, which the scale at the end corrects.
// #include "join.wgsl"
// #include "subgroup_lane.wgsl"
// #include "vec4.wgsl"

enable subgroups;

override ROWS: u32 = 128;   // rows of x and y
override COLS: u32 = 512;   // columns of x and y
override BLOCK: u32 = 128;  // workgroup size, a power of 2
// Vectors that a lane keeps: COLS / 4 / BLOCK, rounded up.
const PER_LANE: u32 = 1;

// A logit that takes no part. A row with no other gives zeros.
const MASKED = -1.0e38;

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1)
var<storage, read_write> y: array<vec4<f32>>;

// A pair for each subgroup. The narrowest has 4 lanes.
var<workgroup> pairs: array<MaxSum, BLOCK / 4>;

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
    var subgroup_max = MASKED;
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * BLOCK;
        cells[k] = vec4<f32>(MASKED);
        if (4u * i < COLS) {
            cells[k] = x[start + i];  // one access of 16 bytes
        }
        let cell_max = max_component(cells[k]);
        subgroup_max = max(subgroup_max, cell_max);
    }
    subgroup_max = subgroupMax(subgroup_max);

    var subgroup_sum = 0.0;
    for (var k = 0u; k < PER_LANE; k++) {
        // Beyond the row's end this is 0, or 1 where the
        // subgroup has nothing but masked logits.
        cells[k] = exp(cells[k] - subgroup_max);
        subgroup_sum += sum_components(cells[k]);
    }
    subgroup_sum = subgroupAdd(subgroup_sum);
    if (lane.id == 0u) {
        let subgroup_pair = MaxSum(subgroup_max, subgroup_sum);
        pairs[lane.subgroup] = subgroup_pair;
    }
    workgroupBarrier();

    // BLOCK and lane.size are powers of 2, so all subgroups are
    // full, or there is only one.
    var joined = MaxSum(MASKED, 0.0);
    for (var i = lane.id; i < lane.subgroups; i += lane.size) {
        joined = join(joined, pairs[i]);
    }
    let row_max = subgroupMax(joined.x);
    let joined_sum = joined.y * exp(joined.x - row_max);
    let row_sum = subgroupAdd(joined_sum);

    let correction = exp(subgroup_max - row_max);
    let scale =
        select(0.0, correction / row_sum, row_max > MASKED);
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * BLOCK;
        if (4u * i < COLS) {
            y[start + i] = cells[k] * scale;
        }
    }
}
