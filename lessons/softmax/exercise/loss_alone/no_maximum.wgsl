// The sum of the exponentials as they are, without a maximum: it overflows.

override ROWS: u32 = 128;   // rows of x
override COLS: u32 = 512;   // columns of x
override BLOCK: u32 = 128;  // workgroup size, a power of 2
override Z: f32 = 0.0;      // weight of the z-loss, lse²
const PER_LANE: u32 = 1;    // set by the launch, and of no use here

// Below every logit.
const MASKED = -1.0e38;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> targets: array<u32>;
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;    // of the launch, and not needed here
@group(0) @binding(3) var<storage, read_write> loss: array<f32>;

var<workgroup> partial: array<f32, BLOCK>;

// The maximum of the values of all lanes, by a tree.
fn tree_max(local: u32, value: f32) -> f32 {
    partial[local] = value;
    for (var half = BLOCK / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (local < half) {
            partial[local] = max(partial[local], partial[local + half]);
        }
    }
    workgroupBarrier();
    let result = partial[0];
    workgroupBarrier();    // before the next reduction
    return result;
}

// Their sum.
fn tree_sum(local: u32, value: f32) -> f32 {
    partial[local] = value;
    for (var half = BLOCK / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (local < half) {
            partial[local] += partial[local + half];
        }
    }
    workgroupBarrier();
    return partial[0];
}

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    _ = &dx;    // named, because the launch hands it over
    let row = group.x + group.y * groups.x;
    if (row >= ROWS) {
        return;
    }
    let start = row * COLS;
    var row_sum = 0.0;
    for (var i = local; i < COLS; i += BLOCK) {
        row_sum += exp(x[start + i]);
    }
    row_sum = tree_sum(local, row_sum);
    if (local == 0u) {
        let lse = log(row_sum);
        loss[row] = lse - x[start + targets[row]] + Z * lse * lse;
    }
}
