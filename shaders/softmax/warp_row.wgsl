// Softmax, a warp a row: against a workgroup a row, LANES lanes share a row, and no barrier is needed.
// A workgroup has several rows. Long rows need more registers than LANES lanes have.

enable subgroups;

override ROWS: u32 = 128;     // rows of x and y
override COLS: u32 = 512;     // columns of x and y
override BLOCK: u32 = 128;    // lanes in a workgroup
override LANES: u32 = 32;     // lanes that share a row: a power of two, 32 at most
const PER_LANE: u32 = 4;      // vectors of four that a lane keeps: COLS / 4 / LANES, rounded up

const MASKED = -1.0e38;       // a logit that takes no part; a row without any other gives zeros

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;

// For subgroups narrower than LANES: what they found, by lane.
var<workgroup> found: array<f32, BLOCK>;

// The greatest of the values of a row's lanes.
fn greatest_of(local: u32, width: u32, value: f32) -> f32 {
    var result = value;
    for (var bit = 1u; bit < min(LANES, width); bit *= 2u) {
        result = max(result, subgroupShuffleXor(result, bit));
    }
    if (width < LANES) {
        found[local] = result;
        workgroupBarrier();
        for (var i = local / LANES * LANES; i < (local / LANES + 1u) * LANES; i += width) {
            result = max(result, found[i]);
        }
        workgroupBarrier();
    }
    return result;
}

// The sum of the values of a row's lanes.
fn sum_of(local: u32, width: u32, value: f32) -> f32 {
    var result = value;
    for (var bit = 1u; bit < min(LANES, width); bit *= 2u) {
        result += subgroupShuffleXor(result, bit);
    }
    if (width < LANES) {
        found[local] = result;
        workgroupBarrier();
        result = 0.0;
        for (var i = local / LANES * LANES; i < (local / LANES + 1u) * LANES; i += width) {
            result += found[i];
        }
        workgroupBarrier();
    }
    return result;
}

// The k-th four logits of a lane: neighbours, which one access moves, since rows begin at multiples of 16 bytes.
fn load(start: u32, lane: u32, k: u32) -> vec4<f32> {
    var four = vec4<f32>(MASKED);
    let i = lane + k * LANES;
    if (4u * i < COLS) {
        four = x[start / 4u + i];    // one access of 16 bytes
    }
    return four;
}

// Stores what `load` loads.
fn store(start: u32, lane: u32, k: u32, four: vec4<f32>) {
    let i = lane + k * LANES;
    if (4u * i < COLS) {
        y[start / 4u + i] = four;
    }
}

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_size) width: u32,
) {
    let lane = local % LANES;
    let row = (group.x + group.y * groups.x) * (BLOCK / LANES) + local / LANES;
    // Beyond the last row a lane does as the others do, and stores nothing: all take part in the exchanges.
    let start = min(row, ROWS - 1u) * COLS;
    var cells: array<vec4<f32>, PER_LANE>;
    var greatest = MASKED;
    for (var k = 0u; k < PER_LANE; k++) {
        cells[k] = load(start, lane, k);
        greatest = max(greatest, max(max(cells[k].x, cells[k].y), max(cells[k].z, cells[k].w)));
    }
    greatest = greatest_of(local, width, greatest);

    var sum = 0.0;
    for (var k = 0u; k < PER_LANE; k++) {
        cells[k] = exp(cells[k] - greatest);    // 0 beyond the row's end
        sum += dot(cells[k], vec4<f32>(1.0));
    }
    sum = sum_of(local, width, sum);

    let scale = select(0.0, 1.0 / sum, greatest > MASKED);
    for (var k = 0u; k < PER_LANE && row < ROWS; k++) {
        store(start, lane, k, cells[k] * scale);
    }
}
