// Attention in one launch: a workgroup of 32 lanes has one
// query. It takes 32 keys at a time: a lane computes one score,
// and then each lane adds all 32 values in its columns of o.
// No score leaves the chip. But each query loads all keys and
// values for itself.

override HEADS: u32 = 2;     // query heads
override KV_HEADS: u32 = 1;  // heads of keys and values
override SEQ: u32 = 64;      // positions: rows of a head
override KEYS: u32 = 64;     // keys that count, from the first
override D: u32 = 32;        // numbers in a query
override CAUSAL: u32 = 0;    // 1: no key after the query
// Columns of o that a lane has: D / 32, rounded up.
const COLUMNS: u32 = 1;

// A score that takes no part. A row with no other gives zeros.
const MASKED = -1.0e38;

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> o: array<f32>;
@group(0) @binding(4) var<storage, read_write> lse: array<f32>;

var<workgroup> query: array<f32, D>;
var<workgroup> scores: array<f32, 32>;
var<workgroup> weights: array<f32, 32>;

@compute @workgroup_size(32)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let head = group.y;  // through the batch
    let row = head * SEQ + group.x;
    let kv_row = head / (HEADS / KV_HEADS) * SEQ;
    let seen = select(KEYS, min(KEYS, group.x + 1u), CAUSAL == 1u);
    for (var c = lane; c < D; c += 32u) {
        query[c] = q[row * D + c];
    }
    workgroupBarrier();
    var m = MASKED;
    var d = 0.0;
    var out: array<f32, COLUMNS>;
    for (var first = 0u; first < seen; first += 32u) {
        let count = min(32u, seen - first);
        if (lane < count) {
            var score = 0.0;
            for (var c = 0u; c < D; c++) {
                score += query[c] * k[(kv_row + first + lane) * D + c];
            }
            scores[lane] = score / sqrt(f32(D));
        }
        workgroupBarrier();
        var new_m = m;
        for (var j = 0u; j < count; j++) {
            new_m = max(new_m, scores[j]);
        }
        // The exponential of a score is taken by one lane.
        if (lane < count) {
            weights[lane] = exp(scores[lane] - new_m);
        }

        // Both sums were taken with the old maximum.
        let factor = exp(m - new_m);
        d *= factor;
        for (var i = 0u; i < COLUMNS; i++) {
            out[i] *= factor;
        }
        m = new_m;
        workgroupBarrier();
        for (var j = 0u; j < count; j++) {
            d += weights[j];
            for (var i = 0u; i < COLUMNS; i++) {
                let c = min(lane + 32u * i, D - 1u);
                out[i] += weights[j] * v[(kv_row + first + j) * D + c];
            }
        }
    }
    let scale = select(0.0, 1.0 / d, m > MASKED);
    for (var i = 0u; i < COLUMNS; i++) {
        let c = lane + 32u * i;
        if (c < D) {
            o[row * D + c] = out[i] * scale;
        }
    }
    if (lane == 0u) {
        lse[row] = select(MASKED, m + log(d), m > MASKED);
    }
}
