// Attention, backward: the gradients of keys and values. A key's
// is the sum of slope * query, a value's that of weight * d_o,
// over the queries that see them: its own and all later ones.
// A lane has one key and its value, and its workgroup shares the
// queries. Nobody else adds to its sums.

override ROWS: u32 = 16;
override TOKENS: u32 = 8;  // rows of a sequence
override WIDTH: u32 = 16;
override HEADS: u32 = 2;
override HELD: u32 = 2;    // layers that `qkv` and `lse` have
const D: u32 = 8;          // numbers of a head
const STEP: u32 = 16;      // queries that are loaded at a time

@group(0) @binding(0) var<storage, read> layer: array<u32>;
@group(0) @binding(1) var<storage, read> qkv: array<f32>;
@group(0) @binding(2) var<storage, read> lse: array<f32>;
@group(0) @binding(3) var<storage, read> delta: array<f32>;
@group(0) @binding(4) var<storage, read> d_o: array<f32>;
@group(0) @binding(5)
var<storage, read_write> d_qkv: array<f32>;

var<workgroup> tile_q: array<array<f32, D>, STEP>;
var<workgroup> tile_d: array<array<f32, D>, STEP>;

@compute @workgroup_size(32)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let head = group.x % HEADS;
    let sequence = group.x / HEADS;
    let first_key = group.y * 32;
    let key = first_key + lane;
    let kept = layer[0] % HELD * ROWS;
    let start = sequence * TOKENS;
    let row = start + key;
    var k: array<f32, D>;
    var v: array<f32, D>;
    var sum_k: array<f32, D>;
    var sum_v: array<f32, D>;
    if (key < TOKENS) {
        let at = (kept + row) * 3 * WIDTH + head * D;
        for (var c = 0u; c < D; c++) {
            k[c] = qkv[at + WIDTH + c] / sqrt(f32(D));
            v[c] = qkv[at + 2 * WIDTH + c];
        }
    }
    // No query before the workgroup's keys sees one of them.
    for (var first = first_key; first < TOKENS; first += STEP) {
        for (var e = lane; e < STEP * D; e += 32) {
            let query = start + first + e / D;
            let c = e % D;
            if (first + e / D < TOKENS) {
                tile_q[e / D][c] = qkv[(kept + query) * 3 * WIDTH + head * D + c];
                tile_d[e / D][c] = d_o[query * WIDTH + head * D + c];
            }
        }
        workgroupBarrier();  // the queries are there
        if (key < TOKENS) {
            for (var j = 0u; j < min(STEP, TOKENS - first); j++) {
                // All lanes take the same query, but those whose
                // key comes after it add nothing.
                if (first + j < key) {
                    continue;
                }
                var score = 0.0;
                var d_weight = 0.0;
                for (var c = 0u; c < D; c++) {
                    score += tile_q[j][c] * k[c];
                    d_weight += tile_d[j][c] * v[c];
                }
                let at = (start + first + j) * HEADS + head;
                let weight = exp(score - lse[kept * HEADS + at]);
                let slope = weight * (d_weight - delta[at]);
                for (var c = 0u; c < D; c++) {
                    sum_k[c] += slope * tile_q[j][c];
                    sum_v[c] += weight * tile_d[j][c];
                }
            }
        }
        workgroupBarrier();  // nobody reads the queries any more
    }
    if (key < TOKENS) {
        for (var c = 0u; c < D; c++) {
            let at = row * 3 * WIDTH + head * D + c;
            d_qkv[at + WIDTH] = sum_k[c] / sqrt(f32(D));
            d_qkv[at + 2 * WIDTH] = sum_v[c];
        }
    }
}
