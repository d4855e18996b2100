// The loss: half the mean square of what the network's result
// misses. The network is to give back its input.
// The result's gradient takes the place of the result. It is
// multiplied by SCALE, so that it does not become 0 in f16.
// A lane has one row; y is the rank from FIRST on.

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

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let row = gid.x;
    if (row >= ROWS) {
        return;
    }
    let mine = gid.y * ROWS + row;
    var sum = 0.0;
    if (FIRST * ROWS + mine < BATCH) {
        let level = gid.y * (LAYERS + 1) + LAYERS;
        let y = (level * ROWS + row) * WIDTH;
        for (var k = 0u; k < WIDTH; k++) {
            let miss = f32(h[y + k]) - x[mine * WIDTH + k];
            sum += miss * miss;
            h[y + k] = f16(miss * SCALE / f32(BATCH * WIDTH));
        }
    }
    losses[mine] = sum / f32(2 * BATCH * WIDTH);
}
