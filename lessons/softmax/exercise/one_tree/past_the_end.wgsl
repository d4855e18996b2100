// One sweep and one tree, and lanes read past the end of their row.

override ROWS: u32 = 128;     // rows of x and y
override COLS: u32 = 512;     // columns of x and y
override BLOCK: u32 = 128;    // lanes in a workgroup, a power of two
const PER_LANE: u32 = 4;      // elements of a row for each lane: COLS / BLOCK, rounded up

const MASKED = -1.0e38;       // a logit that takes no part; a row without any other gives zeros

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

// x: the greatest of some logits; y: the sum of e^(logit - greatest) over them.
alias Part = vec2<f32>;

var<workgroup> parts: array<Part, BLOCK>;

// Two parts as one: each sum is scaled to the greater of the two maxima.
fn join(a: Part, b: Part) -> Part {
    let greatest = max(a.x, b.x);
    return Part(greatest, a.y * exp(a.x - greatest) + b.y * exp(b.x - greatest));
}

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let row = group.x + group.y * groups.x;
    if (row >= ROWS) {
        return;
    }
    let start = row * COLS;
    var cells: array<f32, PER_LANE>;
    var mine = Part(MASKED, 0.0);
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * BLOCK;
        cells[k] = x[start + i];
        mine.x = max(mine.x, cells[k]);
    }
    for (var k = 0u; k < PER_LANE; k++) {
        cells[k] = exp(cells[k] - mine.x);
        mine.y += cells[k];
    }

    parts[local] = mine;
    for (var half = BLOCK / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (local < half) {
            parts[local] = join(parts[local], parts[local + half]);
        }
    }
    workgroupBarrier();
    let all = parts[0];

    let scale = select(0.0, exp(mine.x - all.x) / all.y, all.x > MASKED);
    for (var k = 0u; k < PER_LANE; k++) {
        let i = local + k * BLOCK;
        if (i < COLS) {
            y[start + i] = cells[k] * scale;
        }
    }
}
