// Fused softmax with one barrier: against two reductions, a subgroup takes exponentials from its own greatest logit.
// It need not wait for the others' to begin. What it was ahead or behind is one factor at the end, as in the online sweep.

enable subgroups;

override ROWS: u32 = 128;     // rows of x and y
override COLS: u32 = 512;     // columns of x and y
override BLOCK: u32 = 128;    // lanes in a workgroup
const PER_LANE: u32 = 1;      // vectors of four that a lane keeps: COLS / 4 / BLOCK, rounded up

const MASKED = -1.0e38;       // a logit that takes no part; a row without any other gives zeros

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;

// x: the greatest of some logits; y: the sum of e^(logit - greatest) over them. Both are 8 bytes in one access.
alias Part = vec2<f32>;

// A part for each subgroup: enough for 1,024 lanes in subgroups of 8.
var<workgroup> parts: array<Part, 128>;

// Two parts as one: each sum is scaled to the greater of the two maxima.
fn join(a: Part, b: Part) -> Part {
    let greatest = max(a.x, b.x);
    return Part(greatest, a.y * exp(a.x - greatest) + b.y * exp(b.x - greatest));
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

// Stores what `load` loads.
fn store(start: u32, local: u32, k: u32, four: vec4<f32>) {
    let i = local + k * BLOCK;
    if (4u * i < COLS) {
        y[start / 4u + i] = four;
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
    greatest = subgroupMax(greatest);

    var sum = 0.0;
    for (var k = 0u; k < PER_LANE; k++) {
        cells[k] = exp(cells[k] - greatest);    // beyond the row's end 0, or of a subgroup that has nothing else
        sum += dot(cells[k], vec4<f32>(1.0));
    }
    sum = subgroupAdd(sum);
    if (lane == 0u) {
        parts[subgroup] = Part(greatest, sum);
    }
    workgroupBarrier();

    var mine = Part(MASKED, 0.0);
    for (var i = lane; i < subgroups; i += width) {
        mine = join(mine, parts[i]);
    }
    let row_greatest = subgroupMax(mine.x);
    let row_sum = subgroupAdd(mine.y * exp(mine.x - row_greatest));

    let scale = select(0.0, exp(greatest - row_greatest) / row_sum, row_greatest > MASKED);
    for (var k = 0u; k < PER_LANE; k++) {
        store(start, local, k, cells[k] * scale);
    }
}
