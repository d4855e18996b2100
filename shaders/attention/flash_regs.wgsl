// Attention, tile by tile, with m, d and o in registers, and 32
// queries a workgroup. A query has 4 lanes, each with every
// fourth column of o. So each key and value that is loaded
// serves twice as many queries, and all lanes have work in each
// phase.

override HEADS: u32 = 2;     // query heads
override KV_HEADS: u32 = 1;  // heads of keys and values
override SEQ: u32 = 64;      // positions: rows of a head
override KEYS: u32 = 64;     // keys that count, from the first
override D: u32 = 32;        // numbers in a query
override CAUSAL: u32 = 0;    // 1: no key after the query
// Columns of o that a lane has: D / 4.
const COLUMNS: u32 = 8;

// A score that takes no part. A row with no other gives zeros.
const MASKED = -1.0e38;

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> o: array<f32>;
@group(0) @binding(4) var<storage, read_write> lse: array<f32>;

// Rows have one word more, so that columns have no conflicts.
var<workgroup> tile_q: array<f32, 32u * (D + 1u)>;
var<workgroup> tile_kv: array<f32, 16u * (D + 1u)>;
var<workgroup> scores: array<array<f32, 17>, 32>;
var<workgroup> weights: array<array<f32, 17>, 32>;

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let head = group.y;  // through the batch
    let kv_row = head / (HEADS / KV_HEADS) * SEQ;
    let first_query = group.x * 32u;
    let y = lane / 4u;
    let x = lane % 4u;
    let query = first_query + y;
    for (var i = lane; i < 32u * D; i += 128u) {
        if (first_query + i / D < SEQ) {
            tile_q[i / D * (D + 1u) + i % D] = q[(head * SEQ + first_query) * D + i];
        }
    }
    var m = MASKED;
    var d = 0.0;
    var out: array<f32, COLUMNS>;
    let end = select(KEYS, min(KEYS, first_query + 32u), CAUSAL == 1u);
    for (var first = 0u; first < end; first += 16u) {
        let count = min(16u, SEQ - first);
        for (var i = lane; i < count * D; i += 128u) {
            tile_kv[i / D * (D + 1u) + i % D] = k[(kv_row + first) * D + i];
        }
        workgroupBarrier();  // the keys are there
        for (var j = x; j < 16u; j += 4u) {
            var score = MASKED;
            let hidden = first + j >= KEYS || (CAUSAL == 1u && first + j > query);
            if (query < SEQ && !hidden) {
                score = 0.0;
                for (var c = 0u; c < D; c++) {
                    score += tile_q[y * (D + 1u) + c] * tile_kv[j * (D + 1u) + c];
                }
                score /= sqrt(f32(D));
            }
            scores[y][j] = score;
        }
        workgroupBarrier();  // the scores are there, the keys done
        for (var i = lane; i < count * D; i += 128u) {
            tile_kv[i / D * (D + 1u) + i % D] = v[(kv_row + first) * D + i];
        }
        var new_m = m;
        for (var j = 0u; j < 16u; j++) {
            new_m = max(new_m, scores[y][j]);
        }
        // The exponential of a score is taken by one lane.
        for (var j = x; j < 16u; j += 4u) {
            weights[y][j] = select(0.0, exp(scores[y][j] - new_m), scores[y][j] > MASKED);
        }

        // Both sums were taken with the old maximum.
        let factor = exp(m - new_m);
        d *= factor;
        for (var i = 0u; i < COLUMNS; i++) {
            out[i] *= factor;
        }
        m = new_m;
        workgroupBarrier();  // the values and the weights are there
        for (var j = 0u; j < count; j++) {
            d += weights[y][j];
            for (var i = 0u; i < COLUMNS; i++) {
                out[i] += weights[y][j] * tile_kv[j * (D + 1u) + x + 4u * i];
            }
        }
        workgroupBarrier();  // nobody reads the values any more
    }
    if (query < SEQ) {
        let scale = select(0.0, 1.0 / d, m > MASKED);
        for (var i = 0u; i < COLUMNS; i++) {
            o[(head * SEQ + query) * D + x + 4u * i] = out[i] * scale;
        }
        if (x == 0u) {
            lse[head * SEQ + query] = select(MASKED, m + log(d), m > MASKED);
        }
    }
}
