// Cross-entropy, forward and backward in one: loss = lse - x[target] + z lse² of each row, with lse = log of the sum of e^x, and its
// gradient (1 + 2 z lse) y - t. The softmax y and the one-hot t are never stored: 8 bytes an element, as many as a copy moves.

enable subgroups;

override ROWS: u32 = 128;     // rows of x and dx
override COLS: u32 = 512;     // columns of x and dx
override BLOCK: u32 = 128;    // lanes in a workgroup
override Z: f32 = 0.0;        // weight of the z-loss, which keeps lse near 0
const PER_LANE: u32 = 1;      // vectors of four that a lane keeps: COLS / 4 / BLOCK, rounded up

const MASKED = -1.0e38;       // a logit that takes no part; a row without any other gives zeros, also as its loss

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> targets: array<u32>;
@group(0) @binding(2) var<storage, read_write> dx: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> loss: array<f32>;

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

// The k-th four logits of a lane: neighbours, which one access moves, since rows begin at multiples of 16 bytes.
fn load(start: u32, local: u32, k: u32) -> vec4<f32> {
    var four = vec4<f32>(MASKED);
    let i = local + k * BLOCK;
    if (4u * i < COLS) {
        four = x[start / 4u + i];    // one access of 16 bytes
    }
    return four;
}

// Stores what `load` loads, in dx.
fn store(start: u32, local: u32, k: u32, four: vec4<f32>) {
    let i = local + k * BLOCK;
    if (4u * i < COLS) {
        dx[start / 4u + i] = four;
    }
}

// The part of t that belongs to what `load` loads: 1 at the wanted column, 0 elsewhere.
fn one_hot(wanted: u32, local: u32, k: u32) -> vec4<f32> {
    let four = vec4<u32>(0u, 1u, 2u, 3u);
    return select(vec4<f32>(0.0), vec4<f32>(1.0), 4u * (local + k * BLOCK) + four == vec4<u32>(wanted));
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
    var cells: array<vec4<f32>, PER_LANE>;
    var greatest = MASKED;
    for (var k = 0u; k < PER_LANE; k++) {
        cells[k] = load(start, local, k);
        greatest = max(greatest, max(max(cells[k].x, cells[k].y), max(cells[k].z, cells[k].w)));
    }
    greatest = greatest_of(at, greatest);

    var sum = 0.0;
    for (var k = 0u; k < PER_LANE; k++) {
        cells[k] = exp(cells[k] - greatest);    // 0 beyond the row's end
        sum += dot(cells[k], vec4<f32>(1.0));
    }
    sum = sum_of(at, sum);

    // A row in which all is masked has no loss.
    let some = greatest > MASKED;
    let lse = select(0.0, greatest + log(sum), some);
    let wanted = targets[row];
    if (local == 0u) {
        let chosen = x[(start + wanted) / 4u][(start + wanted) % 4u];
        loss[row] = select(0.0, lse - chosen + Z * lse * lse, some);
    }
    let scale = select(0.0, (1.0 + 2.0 * Z * lse) / sum, some);
    for (var k = 0u; k < PER_LANE; k++) {
        store(start, local, k, cells[k] * scale - select(vec4<f32>(0.0), one_hot(wanted, local, k), some));
    }
}
