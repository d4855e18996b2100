// Fused softmax of vectors: against single elements, a lane
// loads and stores four neighbours at once.
// A quarter of the requests move the same bytes. COLS is a
// multiple of 4, so rows begin at multiples of 16 bytes.
// #include "workgroup_max.wgsl"
// #include "workgroup_sum.wgsl"
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

    let scale = select(0.0, 1.0 / row_sum, row_max > MASKED);
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * BLOCK;
        if (4u * i < COLS) {
            y[start + i] = cells[k] * scale;
        }
    }
}
