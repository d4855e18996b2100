// Softmax backward without the Jacobian: against J times dy, the product is written out: dx = y * (dy - y · dy).
// J = diag(y) - y yᵀ is never made, and n² operations become n. A workgroup has a row.
// It loads fours. One sweep finds y · dy, one more stores: 20 bytes an element.

enable subgroups;

override ROWS: u32 = 128;     // rows of y, dy and dx
override COLS: u32 = 512;     // columns of y, dy and dx
override BLOCK: u32 = 128;    // lanes in a workgroup
const PER_LANE: u32 = 1;      // vectors of four that a lane has: COLS / 4 / BLOCK, rounded up

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
    var along = 0.0;
    for (var k = 0u; k < PER_LANE; k++) {
        along += dot(load_y(start, local, k), load_dy(start, local, k));
    }
    along = sum_of(at, along);

    for (var k = 0u; k < PER_LANE; k++) {
        store(start, local, k, load_y(start, local, k) * (load_dy(start, local, k) - along));
    }
}
