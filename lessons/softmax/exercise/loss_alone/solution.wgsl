// The loss of each row in one sweep and over one tree: a lane keeps a maximum and a sum, and no logits.

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

// x: the maximum of some logits; y: the sum of e^(logit - maximum) over them.
alias MaxSum = vec2<f32>;

// Each sum is scaled to the larger of the two maxima.
fn join(a: MaxSum, b: MaxSum) -> MaxSum {
    let larger = max(a.x, b.x);
    return MaxSum(larger, a.y * exp(a.x - larger) + b.y * exp(b.x - larger));
}

var<workgroup> partial: array<MaxSum, BLOCK>;

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
    var lane_pair = MaxSum(MASKED, 0.0);
    for (var i = local; i < COLS; i += BLOCK) {
        lane_pair = join(lane_pair, MaxSum(x[start + i], 1.0));
    }
    partial[local] = lane_pair;
    for (var half = BLOCK / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (local < half) {
            partial[local] = join(partial[local], partial[local + half]);
        }
    }
    // Lane 0 has made the last pair itself, and no other lane needs it.
    if (local == 0u) {
        let lse = partial[0].x + log(partial[0].y);
        loss[row] = lse - x[start + targets[row]] + Z * lse * lse;
    }
}
