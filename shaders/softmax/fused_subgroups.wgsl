// Fused softmax with subgroups: against the tree, lanes of a subgroup exchange values without memory.
// A subgroup leaves one word in workgroup memory, and a reduction has one barrier instead of one a turn.

enable subgroups;

override ROWS: u32 = 128;     // rows of x and y
override COLS: u32 = 512;     // columns of x and y
override BLOCK: u32 = 128;    // lanes in a workgroup
const PER_LANE: u32 = 4;      // elements that a lane keeps: COLS / BLOCK, rounded up

const MASKED = -1.0e38;       // a logit that takes no part; a row without any other gives zeros

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

// A word for each subgroup: enough for 1,024 lanes in subgroups of 8.
var<workgroup> maxima: array<f32, 128>;
var<workgroup> sums: array<f32, 128>;

// A lane's place: in which subgroup of how many, and where in it.
struct Place {
    lane: u32,
    width: u32,
    subgroup: u32,
    subgroups: u32,
}

// The greatest of all lanes' values: within each subgroup, then over what the subgroups found.
fn greatest_of(at: Place, value: f32) -> f32 {
    let found = subgroupMax(value);
    if (at.lane == 0u) {
        maxima[at.subgroup] = found;
    }
    workgroupBarrier();
    var result = MASKED;
    for (var i = at.lane; i < at.subgroups; i += at.width) {
        result = max(result, maxima[i]);
    }
    return subgroupMax(result);
}

// The sum of all lanes' values, in the same way.
fn sum_of(at: Place, value: f32) -> f32 {
    let found = subgroupAdd(value);
    if (at.lane == 0u) {
        sums[at.subgroup] = found;
    }
    workgroupBarrier();
    var result = 0.0;
    for (var i = at.lane; i < at.subgroups; i += at.width) {
        result += sums[i];
    }
    return subgroupAdd(result);
}

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) width: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
) {
    let at = Place(lane, width, subgroup, subgroups);
    let row = group.x + group.y * groups.x;
    if (row >= ROWS) {
        return;
    }
    let start = row * COLS;
    var cells: array<f32, PER_LANE>;
    var greatest = MASKED;
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * BLOCK;
        cells[k] = MASKED;
        if (i < COLS) {
            cells[k] = x[start + i];
        }
        greatest = max(greatest, cells[k]);
    }
    greatest = greatest_of(at, greatest);

    var sum = 0.0;
    for (var k = 0u; k < PER_LANE; k++) {
        cells[k] = exp(cells[k] - greatest);    // 0 beyond the row's end
        sum += cells[k];
    }
    sum = sum_of(at, sum);

    let scale = select(0.0, 1.0 / sum, greatest > MASKED);
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * BLOCK;
        if (i < COLS) {
            y[start + i] = cells[k] * scale;
        }
    }
}
