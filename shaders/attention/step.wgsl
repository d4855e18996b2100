// Attention of a few queries, one tile of keys more. For each
// query the greatest score so far, the denominator and the row
// of o are kept in memory, and each launch adds TILE keys.
// A workgroup has a query, and a lane one column of it.

override SEQ: u32 = 64;   // keys
override D: u32 = 32;     // numbers in a query: the lanes
override TILE: u32 = 8;   // keys of a tile, at most 64

// A query begins with the mask's score.
const MASKED = -1.0e38;

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> m: array<f32>;
@group(0) @binding(4) var<storage, read_write> d: array<f32>;
@group(0) @binding(5) var<storage, read_write> o: array<f32>;
// A query's tiles so far, and in how many of them m grew.
@group(0) @binding(6) var<storage, read_write> done: array<u32>;
@group(0) @binding(7) var<storage, read_write> grew: array<u32>;

var<workgroup> scores: array<f32, 64>;

@compute @workgroup_size(D)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = group.x;
    let tile = done[row];
    let first = tile * TILE;
    let count = min(TILE, SEQ - first);
    for (var j = lane; j < count; j += D) {
        var score = 0.0;
        for (var c = 0u; c < D; c++) {
            score += q[row * D + c] * k[(first + j) * D + c];
        }
        scores[j] = score / sqrt(f32(D));
    }
    var old_m = MASKED;
    var sum = 0.0;
    var out = 0.0;
    var grown = 0u;
    if (tile > 0u) {
        old_m = m[row];
        sum = d[row];
        out = o[row * D + lane];
        grown = grew[row];
    }
    workgroupBarrier();
    var new_m = old_m;
    for (var j = 0u; j < count; j++) {
        new_m = max(new_m, scores[j]);
    }

    // Both were made with the old maximum.
    let factor = exp(old_m - new_m);
    sum *= factor;
    out *= factor;
    for (var j = 0u; j < count; j++) {
        let weight = exp(scores[j] - new_m);
        sum += weight;
        out += weight * v[(first + j) * D + lane];
    }
    o[row * D + lane] = out;
    storageBarrier();  // all lanes have read what lane 0 writes
    if (lane == 0u) {
        m[row] = new_m;
        d[row] = sum;
        grew[row] = grown + select(0u, 1u, new_m > old_m);
        // After its last tile, the row may begin again.
        done[row] = select(tile + 1u, 0u, first + count == SEQ);
    }
}
