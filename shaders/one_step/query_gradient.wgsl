// Attention, backward: the gradient of the queries. The weights
// are made again from the scores and lse. With the slope of a
// score, weight * (d_o v - delta), a query's gradient is the sum
// of slope * key.
// A lane has one query, and its workgroup shares the keys.

override ROWS: u32 = 16;
override TOKENS: u32 = 8;  // rows of a sequence
override WIDTH: u32 = 16;
override HEADS: u32 = 2;
override HELD: u32 = 2;    // layers that `qkv` and `lse` have
const D: u32 = 8;          // numbers of a head
const STEP: u32 = 16;      // keys that are loaded at a time

@group(0) @binding(0) var<storage, read> layer: array<u32>;
@group(0) @binding(1) var<storage, read> qkv: array<f32>;
@group(0) @binding(2) var<storage, read> lse: array<f32>;
@group(0) @binding(3) var<storage, read> delta: array<f32>;
@group(0) @binding(4) var<storage, read> d_o: array<f32>;
@group(0) @binding(5)
var<storage, read_write> d_qkv: array<f32>;

var<workgroup> tile_k: array<array<f32, D>, STEP>;
var<workgroup> tile_v: array<array<f32, D>, STEP>;

@compute @workgroup_size(32)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let head = group.x % HEADS;
    let sequence = group.x / HEADS;
    let first_query = group.y * 32;
    let query = first_query + lane;
    let kept = layer[0] % HELD * ROWS;
    let start = sequence * TOKENS;
    let row = start + query;
    var q: array<f32, D>;
    var d: array<f32, D>;
    var sum: array<f32, D>;
    var own_lse = 0.0;
    var own_delta = 0.0;
    if (query < TOKENS) {
        for (var c = 0u; c < D; c++) {
            q[c] = qkv[(kept + row) * 3 * WIDTH + head * D + c] / sqrt(f32(D));
            d[c] = d_o[row * WIDTH + head * D + c];
        }
        own_lse = lse[(kept + row) * HEADS + head];
        own_delta = delta[row * HEADS + head];
    }
    for (var first = 0u; first < min(TOKENS, first_query + 32); first += STEP) {
        for (var e = lane; e < STEP * D; e += 32) {
            let key = first + e / D;
            let c = e % D;
            if (key < TOKENS) {
                let at = (kept + start + key) * 3 * WIDTH + head * D + c;
                tile_k[e / D][c] = qkv[at + WIDTH];
                tile_v[e / D][c] = qkv[at + 2 * WIDTH];
            }
        }
        workgroupBarrier();  // keys and values are there
        if (query < TOKENS && first <= query) {
            for (var j = 0u; j < min(STEP, query + 1 - first); j++) {
                var score = 0.0;
                var d_weight = 0.0;
                for (var c = 0u; c < D; c++) {
                    score += q[c] * tile_k[j][c];
                    d_weight += d[c] * tile_v[j][c];
                }
                let slope = exp(score - own_lse) * (d_weight - own_delta);
                for (var c = 0u; c < D; c++) {
                    sum[c] += slope * tile_k[j][c];
                }
            }
        }
        workgroupBarrier();  // nobody reads the keys any more
    }
    if (query < TOKENS) {
        for (var c = 0u; c < D; c++) {
            d_qkv[row * 3 * WIDTH + head * D + c] = sum[c] / sqrt(f32(D));
        }
    }
}
