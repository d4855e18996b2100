// Softmax in two sweeps: against the three, one sweep finds the greatest logit and the sum together.
// A lane that meets a greater logit scales its sum down to it: 12 bytes an element instead of 16.

override ROWS: u32 = 128;     // rows of x and y
override COLS: u32 = 512;     // columns of x and y
override BLOCK: u32 = 128;    // lanes in a workgroup, a power of two

const MASKED = -1.0e38;       // a logit that takes no part; a row without any other gives zeros

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

// x: the greatest of some logits; y: the sum of e^(logit - greatest) over them. Both are 8 bytes in one access.
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
    var mine = Part(MASKED, 0.0);
    for (var i = local; i < COLS; i += BLOCK) {
        mine = join(mine, Part(x[start + i], 1.0));
    }

    // All lanes' parts as one, over a tree.
    parts[local] = mine;
    for (var half = BLOCK / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (local < half) {
            parts[local] = join(parts[local], parts[local + half]);
        }
    }
    workgroupBarrier();
    let all = parts[0];

    let scale = select(0.0, 1.0 / all.y, all.x > MASKED);
    for (var i = local; i < COLS; i += BLOCK) {
        y[start + i] = exp(x[start + i] - all.x) * scale;
    }
}
