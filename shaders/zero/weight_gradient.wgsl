// A layer's gradient, from a rank's own rows: the layer's input
// times the gradient of its result, summed over the rows. The
// bias has the input 1. Padding has the gradient 0.
// A lane has one parameter; y is the rank.

enable f16;

override LAYERS: u32 = 2;
override BATCH: u32 = 56;    // rows of all ranks
override ROWS: u32 = 14;     // rows of a rank
override WIDTH: u32 = 16;    // numbers in a row
override HELD: u32 = 2;      // layers that `grads` has
override PADDED: u32 = 272;  // elements that it has for each

@group(0) @binding(0) var<storage, read> layer: array<u32>;
@group(0) @binding(1) var<storage, read> h: array<f16>;
@group(0) @binding(2)
var<storage, read_write> grads: array<f16>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    let rank = gid.y;
    if (i >= PADDED) {
        return;
    }
    let k = i / WIDTH;
    let column = i % WIDTH;
    var rows = 0u;
    if (k <= WIDTH && rank * ROWS < BATCH) {
        rows = min(ROWS, BATCH - rank * ROWS);
    }
    let level = rank * (LAYERS + 1) + layer[0];
    var sum = 0.0;
    for (var row = 0u; row < rows; row++) {
        let x = (level * ROWS + row) * WIDTH;
        var factor = 1.0;
        if (k < WIDTH) {
            factor = f32(h[x + k]);
        }
        sum += factor * f32(h[x + ROWS * WIDTH + column]);
    }
    let g = (rank * HELD + layer[0] % HELD) * PADDED;
    grads[g + i] = f16(sum);
}
