// The mean of the rows of v, weighted by the softmax of a row
// of scores: a workgroup has one row, and takes its scores in
// tiles. A lane has one column of v.
// Whenever the greatest score so far grows, the denominator and
// the weighted sum are scaled to it. So each score is loaded
// once, and the row's weights are never stored.

override ROWS: u32 = 128; // rows of scores
override COLS: u32 = 512; // scores in a row, and rows of v
override HEAD: u32 = 128; // columns of v, and workgroup size
override TILE: u32 = 32;  // scores of a tile

// A score that takes no part. A row with no other gives zeros.
const MASKED = -1.0e38;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> v: array<f32>;
@group(0) @binding(2) var<storage, read_write> m: array<f32>;
@group(0) @binding(3) var<storage, read_write> d: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

var<workgroup> scores: array<f32, TILE>;
var<workgroup> weights: array<f32, TILE>;

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
    var row_max = MASKED;
    var row_sum = 0.0;
    var weighted = 0.0;
    for (var first = 0u; first < COLS; first += TILE) {
        let count = min(TILE, COLS - first);
        for (var j = local; j < count; j += HEAD) {
            scores[j] = x[row * COLS + first + j];
        }
        workgroupBarrier();
        var new_max = row_max;
        for (var j = 0u; j < count; j++) {
            new_max = max(new_max, scores[j]);
        }
        // The exponential of a score is taken by one lane.
        for (var j = local; j < count; j += HEAD) {
            weights[j] = exp(scores[j] - new_max);
        }

        // Both sums were taken with the old maximum.
        let factor = exp(row_max - new_max);
        row_sum *= factor;
        weighted *= factor;
        row_max = new_max;
        workgroupBarrier();
        for (var j = 0u; j < count; j++) {
            row_sum += weights[j];
            weighted += weights[j] * v[(first + j) * HEAD + local];
        }
    }

    let scale = select(0.0, 1.0 / row_sum, row_max > MASKED);
    y[row * HEAD + local] = weighted * scale;
    if (local == 0u) {
        m[row] = row_max;
        d[row] = row_sum;
    }
}
