// Fused softmax backward: against two sweeps, the row's y and dy stay in registers between the sum and the stores.
// Each is read once and dx is stored once: 12 bytes an element. Of rows too long for that, a part of dy is read again.

enable subgroups;

override ROWS: u32 = 128;     // rows of y, dy and dx
override COLS: u32 = 512;     // columns of y, dy and dx
override BLOCK: u32 = 128;    // lanes in a workgroup
const PER_LANE: u32 = 1;      // vectors of four of y that a lane keeps: COLS / 4 / BLOCK, rounded up
const KEPT: u32 = 1;          // vectors of four of dy that a lane keeps, PER_LANE at most

@group(0) @binding(0) var<storage, read> y: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> dy: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> dx: array<vec4<f32>>;

// A word for each subgroup: enough for 1,024 lanes in subgroups of 8.
var<workgroup> sums: array<f32, 128>;

// A lane's place: in which subgroup of how many, and where in it.
struct Place {
    lane: u32,
    width: u32,
    subgroup: u32,
    subgroups: u32,
}

// The sum of all lanes' values: within each subgroup, then over what the subgroups found.
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

// The k-th four elements of a lane: neighbours, which one access moves, since rows begin at multiples of 16 bytes.
fn load_y(start: u32, local: u32, k: u32) -> vec4<f32> {
    var four = vec4<f32>(0.0);
    let i = local + k * BLOCK;
    if (4u * i < COLS) {
        four = y[start / 4u + i];    // one access of 16 bytes
    }
    return four;
}

fn load_dy(start: u32, local: u32, k: u32) -> vec4<f32> {
    var four = vec4<f32>(0.0);
    let i = local + k * BLOCK;
    if (4u * i < COLS) {
        four = dy[start / 4u + i];    // one access of 16 bytes
    }
    return four;
}

// Stores what `load_y` loads, in dx.
fn store(start: u32, local: u32, k: u32, four: vec4<f32>) {
    let i = local + k * BLOCK;
    if (4u * i < COLS) {
        dx[start / 4u + i] = four;
    }
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
    var cells_y: array<vec4<f32>, PER_LANE>;
    var cells_dy: array<vec4<f32>, KEPT>;
    var along = 0.0;
    for (var k = 0u; k < PER_LANE; k++) {
        cells_y[k] = load_y(start, local, k);
        let four = load_dy(start, local, k);
        along += dot(cells_y[k], four);
        if (k < KEPT) {
            cells_dy[k] = four;
        }
    }
    along = sum_of(at, along);

    for (var k = 0u; k < PER_LANE; k++) {
        var four: vec4<f32>;
        if (k < KEPT) {
            four = cells_dy[k];
        } else {
            four = load_dy(start, local, k);    // found no place; it is still near, in a cache
        }
        store(start, local, k, cells_y[k] * (four - along));
    }
}
