// The third of three kernels: each row of weights times the
// values. The whole square is read once more. A workgroup has
// 32 rows and 32 columns of a head's output.

override HEADS: u32 = 2;     // query heads
override KV_HEADS: u32 = 1;  // heads of keys and values
override SEQ: u32 = 64;      // positions: rows of a head
override D: u32 = 32;        // numbers in a value

@group(0) @binding(0) var<storage, read> probs: array<f32>;
@group(0) @binding(1) var<storage, read> v: array<f32>;
@group(0) @binding(2) var<storage, read_write> o: array<f32>;

var<workgroup> tile_p: array<array<f32, 33>, 32>;
var<workgroup> tile_v: array<array<f32, 33>, 32>;

@compute @workgroup_size(32, 8)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) lane: vec3<u32>,
) {
    let head = group.z;  // through the batch
    let kv_head = head / (HEADS / KV_HEADS);
    let first_query = group.y * 32u;
    let column = group.x * 32u + lane.x;
    var sums: array<f32, 4>;
    for (var first = 0u; first < SEQ; first += 32u) {
        for (var y = lane.y; y < 32u; y += 8u) {
            var weight = 0.0;
            var value = 0.0;
            if (first_query + y < SEQ && first + lane.x < SEQ) {
                weight = probs[(head * SEQ + first_query + y) * SEQ + first + lane.x];
            }
            if (first + y < SEQ && column < D) {
                value = v[(kv_head * SEQ + first + y) * D + column];
            }
            tile_p[y][lane.x] = weight;
            tile_v[y][lane.x] = value;
        }
        workgroupBarrier();  // the tiles are complete
        for (var j = 0u; j < 32u; j++) {
            for (var i = 0u; i < 4u; i++) {
                sums[i] += tile_p[lane.y + 8u * i][j] * tile_v[j][lane.x];
            }
        }
        workgroupBarrier();  // nobody reads them any more
    }
    for (var i = 0u; i < 4u; i++) {
        let query = first_query + lane.y + 8u * i;
        if (query < SEQ && column < D) {
            o[(head * SEQ + query) * D + column] = sums[i];
        }
    }
}
