// The sum of the values, weighted by a softmax: one tile more.
// For each row the greatest score so far, the denominator and
// the weighted sum are kept in memory, and each launch adds the
// row's next TILE scores to them. A lane has one column of v.

override ROWS: u32 = 4;   // rows of scores
override COLS: u32 = 512; // scores in a row, and rows of v
override HEAD: u32 = 32;  // columns of v, and workgroup size
override TILE: u32 = 32;  // scores of a tile

// A score that takes no part. A row begins with it.
const MASKED = -1.0e38;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> v: array<f32>;
@group(0) @binding(2) var<storage, read_write> m: array<f32>;
@group(0) @binding(3) var<storage, read_write> d: array<f32>;
@group(0) @binding(4) var<storage, read_write> o: array<f32>;
// The row's tiles so far, and in how many of them m grew.
@group(0) @binding(5) var<storage, read_write> done: array<u32>;
@group(0) @binding(6) var<storage, read_write> grew: array<u32>;

@compute @workgroup_size(HEAD)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let row = group.x + group.y * groups.x;
    if (row >= ROWS) {
        return;
    }
    let tile = done[row];
    let first = tile * TILE;
    let end = min(first + TILE, COLS);

    var old_max = MASKED;
    var sum = 0.0;
    var weighted = 0.0;
    var grown = 0u;
    if (tile > 0u) {
        old_max = m[row];
        sum = d[row];
        weighted = o[row * HEAD + local];
        grown = grew[row];
    }
    var new_max = old_max;
    for (var j = first; j < end; j++) {
        new_max = max(new_max, x[row * COLS + j]);
    }

    // Both sums were taken with the old maximum.
    let factor = exp(old_max - new_max);
    sum *= factor;
    weighted *= factor;
    for (var j = first; j < end; j++) {
        let weight = exp(x[row * COLS + j] - new_max);
        sum += weight;
        weighted += weight * v[j * HEAD + local];
    }

    o[row * HEAD + local] = weighted;
    storageBarrier();  // all lanes have read what lane 0 writes
    if (local == 0u) {
        m[row] = new_max;
        d[row] = sum;
        grew[row] = grown + select(0u, 1u, new_max > old_max);
        // After its last tile, the row may begin again.
        done[row] = select(tile + 1u, 0u, end == COLS);
    }
}
