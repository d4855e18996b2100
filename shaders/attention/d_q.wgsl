// The gradient of the queries. A workgroup has 16 queries, and
// takes keys and values 8 at a time. Nobody else writes its rows
// of d_q. The price: scores and weights are computed once more.

override HEADS: u32 = 2;     // query heads
override KV_HEADS: u32 = 1;  // heads of keys and values
override SEQ: u32 = 64;      // positions: rows of a head
override KEYS: u32 = 64;     // keys that count, from the first
override D: u32 = 32;        // numbers in a row
override CAUSAL: u32 = 0;    // 1: no key after the query
// Columns of d_q that a lane has: D / 8.
const COLUMNS: u32 = 4;

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read> d_o: array<f32>;
@group(0) @binding(4) var<storage, read> lse: array<f32>;
@group(0) @binding(5) var<storage, read> delta: array<f32>;
@group(0) @binding(6) var<storage, read_write> d_q: array<f32>;

// Rows have one word more, so that columns have no conflicts.
var<workgroup> tile_q: array<f32, 16u * (D + 1u)>;
var<workgroup> tile_d_o: array<f32, 16u * (D + 1u)>;
var<workgroup> tile_k: array<f32, 8u * (D + 1u)>;
var<workgroup> tile_v: array<f32, 8u * (D + 1u)>;
var<workgroup> slopes: array<array<f32, 8>, 16>;

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let head = group.y;  // through the batch
    let kv_row = head / (HEADS / KV_HEADS) * SEQ;
    let first_query = group.x * 16u;
    let y = lane / 8u;
    let x = lane % 8u;
    let query = first_query + y;
    let row = head * SEQ + first_query;
    for (var i = lane; i < min(16u, SEQ - first_query) * D; i += 128u) {
        tile_q[i / D * (D + 1u) + i % D] = q[row * D + i];
        tile_d_o[i / D * (D + 1u) + i % D] = d_o[row * D + i];
    }
    var own_lse = 0.0;
    var own_delta = 0.0;
    if (query < SEQ) {
        own_lse = lse[row + y];
        own_delta = delta[row + y];
    }
    var sum: array<f32, COLUMNS>;
    let end = select(KEYS, min(KEYS, first_query + 16u), CAUSAL == 1u);
    for (var first = 0u; first < end; first += 8u) {
        let count = min(8u, SEQ - first);
        for (var i = lane; i < count * D; i += 128u) {
            tile_k[i / D * (D + 1u) + i % D] = k[(kv_row + first) * D + i];
            tile_v[i / D * (D + 1u) + i % D] = v[(kv_row + first) * D + i];
        }
        workgroupBarrier();  // keys and values are there
        // A lane has one score: its query's and key x's.
        var slope = 0.0;
        let hidden = first + x >= KEYS || (CAUSAL == 1u && first + x > query);
        if (query < SEQ && !hidden) {
            var score = 0.0;
            for (var c = 0u; c < D; c++) {
                score += tile_q[y * (D + 1u) + c] * tile_k[x * (D + 1u) + c];
                slope += tile_d_o[y * (D + 1u) + c] * tile_v[x * (D + 1u) + c];
            }
            slope = exp(score / sqrt(f32(D)) - own_lse) * (slope - own_delta);
        }
        slopes[y][x] = slope / sqrt(f32(D));
        workgroupBarrier();  // the slopes are there
        for (var j = 0u; j < count; j++) {
            for (var i = 0u; i < COLUMNS; i++) {
                sum[i] += slopes[y][j] * tile_k[j * (D + 1u) + x + 8u * i];
            }
        }
        workgroupBarrier();  // nobody reads the keys any more
    }
    if (query < SEQ) {
        for (var i = 0u; i < COLUMNS; i++) {
            d_q[(head * SEQ + query) * D + x + 8u * i] = sum[i];
        }
    }
}
