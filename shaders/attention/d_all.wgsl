// All three gradients in one launch. A workgroup has 16 keys of
// a head, and takes the queries of all heads that read them, 8
// at a time. Nobody else writes its rows of d_k and d_v. But all
// workgroups of a head add to the same rows of d_q: by atomics,
// to rows that are zero at first.

override HEADS: u32 = 2;     // query heads
override KV_HEADS: u32 = 1;  // heads of keys and values
override SEQ: u32 = 64;      // positions: rows of a head
override KEYS: u32 = 64;     // keys that count, from the first
override D: u32 = 32;        // numbers in a row
override CAUSAL: u32 = 0;    // 1: no key after the query
// Columns of d_k and d_v that a lane has: D / 8.
const COLUMNS: u32 = 4;

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read> d_o: array<f32>;
@group(0) @binding(4) var<storage, read> lse: array<f32>;
@group(0) @binding(5) var<storage, read> delta: array<f32>;
@group(0) @binding(6) var<storage, read_write> d_k: array<f32>;
@group(0) @binding(7) var<storage, read_write> d_v: array<f32>;
@group(0) @binding(8) var<storage, read_write> d_q: array<atomic<f32>>;

// Rows have one word more, so that columns have no conflicts.
var<workgroup> tile_k: array<f32, 16u * (D + 1u)>;
var<workgroup> tile_v: array<f32, 16u * (D + 1u)>;
var<workgroup> tile_q: array<f32, 8u * (D + 1u)>;
var<workgroup> tile_d_o: array<f32, 8u * (D + 1u)>;
var<workgroup> weights: array<array<f32, 8>, 16>;
var<workgroup> slopes: array<array<f32, 8>, 16>;

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let kv_head = group.y;  // through the batch
    let sharing = HEADS / KV_HEADS;
    let first_key = group.x * 16u;
    let y = lane / 8u;
    let x = lane % 8u;
    let key = first_key + y;
    let kv_start = (kv_head * SEQ + first_key) * D;
    for (var i = lane; i < min(16u, SEQ - first_key) * D; i += 128u) {
        tile_k[i / D * (D + 1u) + i % D] = k[kv_start + i];
        tile_v[i / D * (D + 1u) + i % D] = v[kv_start + i];
    }
    var sum_k: array<f32, COLUMNS>;
    var sum_v: array<f32, COLUMNS>;
    // No query before the keys sees one of them.
    let start = select(0u, first_key / 8u * 8u, CAUSAL == 1u);
    for (var head = kv_head * sharing; head < (kv_head + 1u) * sharing; head++) {
        for (var first = start; first < SEQ; first += 8u) {
            let row = head * SEQ + first;
            let count = min(8u, SEQ - first);
            for (var i = lane; i < count * D; i += 128u) {
                tile_q[i / D * (D + 1u) + i % D] = q[row * D + i];
                tile_d_o[i / D * (D + 1u) + i % D] = d_o[row * D + i];
            }
            workgroupBarrier();  // the queries are there
            // A lane has one score: its key's and query x's.
            var weight = 0.0;
            var slope = 0.0;
            let hidden = key >= KEYS || (CAUSAL == 1u && key > first + x);
            if (x < count && !hidden) {
                var score = 0.0;
                for (var c = 0u; c < D; c++) {
                    score += tile_q[x * (D + 1u) + c] * tile_k[y * (D + 1u) + c];
                    slope += tile_d_o[x * (D + 1u) + c] * tile_v[y * (D + 1u) + c];
                }
                weight = exp(score / sqrt(f32(D)) - lse[row + x]);
                slope = weight * (slope - delta[row + x]);
            }
            weights[y][x] = weight;
            slopes[y][x] = slope / sqrt(f32(D));
            workgroupBarrier();  // the weights and slopes are there
            for (var j = 0u; j < count; j++) {
                for (var i = 0u; i < COLUMNS; i++) {
                    let at = j * (D + 1u) + x + 8u * i;
                    sum_k[i] += slopes[y][j] * tile_q[at];
                    sum_v[i] += weights[y][j] * tile_d_o[at];
                }
            }
            for (var i = lane; i < count * D; i += 128u) {
                var sum = 0.0;
                for (var j = 0u; j < min(16u, SEQ - first_key); j++) {
                    sum += slopes[j][i / D] * tile_k[j * (D + 1u) + i % D];
                }
                atomicAdd(&d_q[row * D + i], sum);
            }
            workgroupBarrier();  // nobody reads the queries any more
        }
    }
    if (key < SEQ) {
        for (var i = 0u; i < COLUMNS; i++) {
            d_k[(kv_head * SEQ + key) * D + x + 8u * i] = sum_k[i];
            d_v[(kv_head * SEQ + key) * D + x + 8u * i] = sum_v[i];
        }
    }
}
