// The loss, with a workgroup for each row: its lanes go through
// the row together, and then sum up what each has.
// y is the rank from FIRST on, x the row.

enable f16;

override LAYERS: u32 = 2;
override BATCH: u32 = 56;  // rows of all ranks
override ROWS: u32 = 14;   // rows of a rank
override WIDTH: u32 = 16;  // numbers in a row
override SCALE: f32 = 1024.0;
override FIRST: u32 = 0;   // the rank of y = 0

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> h: array<f16>;
@group(0) @binding(2)
var<storage, read_write> losses: array<f32>;

var<workgroup> parts: array<f32, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = group.x;
    let mine = group.y * ROWS + row;
    let is_there = FIRST * ROWS + mine < BATCH;
    let level = group.y * (LAYERS + 1) + LAYERS;
    let y = (level * ROWS + row) * WIDTH;
    var sum = 0.0;
    for (var k = lane; k < WIDTH && is_there; k += 256) {
        let miss = f32(h[y + k]) - x[mine * WIDTH + k];
        sum += miss * miss;
        h[y + k] = f16(miss * SCALE / f32(BATCH * WIDTH));
    }
    parts[lane] = sum;
    for (var half = 128u; half > 0; half /= 2) {
        workgroupBarrier();
        if (lane < half) {
            parts[lane] += parts[lane + half];
        }
    }
    if (lane == 0) {
        losses[mine] = parts[0] / f32(2 * BATCH * WIDTH);
    }
}
