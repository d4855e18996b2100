// Attention, tile by tile: against `flash_tile`, tiles that the
// causal mask hides in whole are not loaded. The loop over keys
// ends with the last key that a query of the block sees.

override HEADS: u32 = 2;     // query heads
override KV_HEADS: u32 = 1;  // heads of keys and values
override SEQ: u32 = 64;      // positions: rows of a head
override KEYS: u32 = 64;     // keys that count, from the first
override D: u32 = 32;        // numbers in a query
override CAUSAL: u32 = 0;    // 1: no key after the query

// A score that takes no part. A row with no other gives zeros.
const MASKED = -1.0e38;

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> o: array<f32>;
@group(0) @binding(4) var<storage, read_write> lse: array<f32>;

// Rows have one word more, so that columns have no conflicts.
var<workgroup> q_tile: array<f32, 16u * (D + 1u)>;
var<workgroup> kv_tile: array<f32, 16u * (D + 1u)>;
var<workgroup> s_tile: array<f32, 256>;
var<workgroup> m_row: array<f32, 16>;
var<workgroup> d_row: array<f32, 16>;
var<workgroup> factor_row: array<f32, 16>;
var<workgroup> o_tile: array<f32, 16u * D>;

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let head = group.y;  // through the batch
    let kv_row = head / (HEADS / KV_HEADS) * SEQ;
    let first_query = group.x * 16u;
    let queries = min(16u, SEQ - first_query);
    for (var i = lane; i < 16u * D; i += 128u) {
        o_tile[i] = 0.0;
        if (i / D < queries) {
            q_tile[i / D * (D + 1u) + i % D] = q[(head * SEQ + first_query) * D + i];
        }
    }
    if (lane < 16u) {
        m_row[lane] = MASKED;
        d_row[lane] = 0.0;
    }
    // No query of the block sees a key after its last one.
    let end = select(KEYS, min(KEYS, first_query + 16u), CAUSAL == 1u);
    for (var first = 0u; first < end; first += 16u) {
        let count = min(16u, SEQ - first);
        for (var i = lane; i < count * D; i += 128u) {
            kv_tile[i / D * (D + 1u) + i % D] = k[(kv_row + first) * D + i];
        }
        workgroupBarrier();  // the keys are there
        for (var i = lane; i < 256u; i += 128u) {
            let key = first + i % 16u;
            var score = MASKED;
            let hidden = key >= KEYS || (CAUSAL == 1u && key > first_query + i / 16u);
            if (i / 16u < queries && !hidden) {
                score = 0.0;
                for (var c = 0u; c < D; c++) {
                    score += q_tile[i / 16u * (D + 1u) + c] * kv_tile[i % 16u * (D + 1u) + c];
                }
                score /= sqrt(f32(D));
            }
            s_tile[i] = score;
        }
        workgroupBarrier();  // the scores are there
        if (lane < 16u) {
            // A lane has the row of one query.
            let m = m_row[lane];
            var new_m = m;
            for (var j = 0u; j < 16u; j++) {
                new_m = max(new_m, s_tile[lane * 16u + j]);
            }
            // d and o were made with the old maximum.
            let factor = exp(m - new_m);
            var d = d_row[lane] * factor;
            for (var j = 0u; j < 16u; j++) {
                let score = s_tile[lane * 16u + j];
                let weight = select(0.0, exp(score - new_m), score > MASKED);
                s_tile[lane * 16u + j] = weight;
                d += weight;
            }
            m_row[lane] = new_m;
            d_row[lane] = d;
            factor_row[lane] = factor;
        }
        workgroupBarrier();  // the weights are there
        for (var i = lane; i < count * D; i += 128u) {
            kv_tile[i / D * (D + 1u) + i % D] = v[(kv_row + first) * D + i];
        }
        workgroupBarrier();  // the values are there
        for (var i = lane; i < 16u * D; i += 128u) {
            var sum = o_tile[i] * factor_row[i / D];
            for (var j = 0u; j < count; j++) {
                sum += s_tile[i / D * 16u + j] * kv_tile[j * (D + 1u) + i % D];
            }
            o_tile[i] = sum;
        }
        workgroupBarrier();  // nobody reads the tiles any more
    }
    workgroupBarrier();  // m and d are there, with no tile, too
    for (var i = lane; i < queries * D; i += 128u) {
        let scale = select(0.0, 1.0 / d_row[i / D], m_row[i / D] > MASKED);
        o[(head * SEQ + first_query) * D + i] = o_tile[i] * scale;
    }
    if (lane < queries) {
        let m = m_row[lane];
        lse[head * SEQ + first_query + lane] = select(MASKED, m + log(d_row[lane]), m > MASKED);
    }
}
