// Causal attention in one launch. A lane has one query of a
// head and goes through the keys up to its own, STEP at a time,
// which its workgroup shares. The softmax is made on the way:
// if a greater score comes, the sums so far are scaled.
// Of all scores only lse, the logarithm of the sum of their
// exponentials, is kept: the way back makes them again.

override ROWS: u32 = 16;
override TOKENS: u32 = 8;  // rows of a sequence
override WIDTH: u32 = 16;
override HEADS: u32 = 2;
override HELD: u32 = 2;    // layers that the buffers have
const D: u32 = 8;          // numbers of a head
const STEP: u32 = 16;      // keys that are loaded at a time

@group(0) @binding(0) var<storage, read> layer: array<u32>;
@group(0) @binding(1) var<storage, read> qkv: array<f32>;
@group(0) @binding(2) var<storage, read_write> o: array<f32>;
@group(0) @binding(3) var<storage, read_write> lse: array<f32>;

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
    let start = layer[0] % HELD * ROWS + sequence * TOKENS;
    let row = start + query;
    var q: array<f32, D>;
    var out: array<f32, D>;
    if (query < TOKENS) {
        for (var c = 0u; c < D; c++) {
            q[c] = qkv[row * 3 * WIDTH + head * D + c] / sqrt(f32(D));
        }
    }
    var m = -1.0e38;
    var sum = 0.0;
    for (var first = 0u; first < min(TOKENS, first_query + 32); first += STEP) {
        for (var e = lane; e < STEP * D; e += 32) {
            let key = first + e / D;
            let c = e % D;
            if (key < TOKENS) {
                let at = (start + key) * 3 * WIDTH + head * D + c;
                tile_k[e / D][c] = qkv[at + WIDTH];
                tile_v[e / D][c] = qkv[at + 2 * WIDTH];
            }
        }
        workgroupBarrier();  // keys and values are there
        if (query < TOKENS && first <= query) {
            let count = min(STEP, query + 1 - first);
            var scores: array<f32, STEP>;
            var new_m = m;
            for (var j = 0u; j < count; j++) {
                var score = 0.0;
                for (var c = 0u; c < D; c++) {
                    score += q[c] * tile_k[j][c];
                }
                scores[j] = score;
                new_m = max(new_m, score);
            }
            // Both sums were taken with the old maximum.
            let factor = exp(m - new_m);
            m = new_m;
            sum *= factor;
            for (var c = 0u; c < D; c++) {
                out[c] *= factor;
            }
            for (var j = 0u; j < count; j++) {
                let weight = exp(scores[j] - m);
                sum += weight;
                for (var c = 0u; c < D; c++) {
                    out[c] += weight * tile_v[j][c];
                }
            }
        }
        workgroupBarrier();  // nobody reads the keys any more
    }
    if (query < TOKENS) {
        for (var c = 0u; c < D; c++) {
            o[row * WIDTH + head * D + c] = out[c] / sum;
        }
        lse[row * HEADS + head] = m + log(sum);
    }
}
