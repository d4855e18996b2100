// The first of three kernels: each query times each key. The
// whole square of scores goes to memory. A workgroup has 32 × 32
// scores of a head, and loads its rows of q and k in pieces of
// 32 columns.

override HEADS: u32 = 2;     // query heads
override KV_HEADS: u32 = 1;  // heads of keys and values
override SEQ: u32 = 64;      // positions: rows of a head
override KEYS: u32 = 64;     // keys that count, from the first
override D: u32 = 32;        // numbers in a query and a key
override CAUSAL: u32 = 0;    // 1: no key after the query
override SCALE: f32 = 0.1767767; // 1 / √D

// A score that takes no part.
const MASKED = -1.0e38;

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read_write> scores: array<f32>;

// Rows of 33 words: a column's words are in 32 banks.
var<workgroup> tile_q: array<array<f32, 33>, 32>;
var<workgroup> tile_k: array<array<f32, 33>, 32>;

@compute @workgroup_size(32, 8)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) lane: vec3<u32>,
) {
    let head = group.z;  // through the batch
    let kv_head = head / (HEADS / KV_HEADS);
    let first_query = group.y * 32u;
    let first_key = group.x * 32u;
    var sums: array<f32, 4>;
    for (var first = 0u; first < D; first += 32u) {
        let column = first + lane.x;
        for (var y = lane.y; y < 32u; y += 8u) {
            var from_q = 0.0;
            var from_k = 0.0;
            if (column < D && first_query + y < SEQ) {
                from_q = q[(head * SEQ + first_query + y) * D + column];
            }
            if (column < D && first_key + y < SEQ) {
                from_k = k[(kv_head * SEQ + first_key + y) * D + column];
            }
            tile_q[y][lane.x] = from_q;
            tile_k[y][lane.x] = from_k;
        }
        workgroupBarrier();  // the tiles are complete
        for (var c = 0u; c < 32u; c++) {
            for (var i = 0u; i < 4u; i++) {
                sums[i] += tile_q[lane.y + 8u * i][c] * tile_k[lane.x][c];
            }
        }
        workgroupBarrier();  // nobody reads them any more
    }
    let key = first_key + lane.x;
    for (var i = 0u; i < 4u; i++) {
        let query = first_query + lane.y + 8u * i;
        if (query < SEQ && key < SEQ) {
            let hidden = key >= KEYS || (CAUSAL == 1u && key > query);
            scores[(head * SEQ + query) * SEQ + key] = select(sums[i] * SCALE, MASKED, hidden);
        }
    }
}
