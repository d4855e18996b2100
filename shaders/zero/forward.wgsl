// A layer, forward: each rank multiplies its rows by its copy
// of the layer's matrix, and adds the bias, which is the
// matrix's last row. Products are summed in f32, and all that
// is stored is f16. Every layer but the last sets negative
// results to 0.
// A lane has one element of the result; y is the rank.

enable f16;

override LAYERS: u32 = 2;
override BATCH: u32 = 56;    // rows of all ranks
override ROWS: u32 = 14;     // rows of a rank
override WIDTH: u32 = 16;    // numbers in a row
override HELD: u32 = 2;      // layers that `weights` has
override PADDED: u32 = 272;  // elements that it has for each

@group(0) @binding(0) var<storage, read> layer: array<u32>;
@group(0) @binding(1) var<storage, read> weights: array<f16>;
@group(0) @binding(2) var<storage, read_write> h: array<f16>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let row = gid.x / WIDTH;
    let column = gid.x % WIDTH;
    let rank = gid.y;
    if (row >= ROWS || rank * ROWS + row >= BATCH) {
        return;
    }
    let w = (rank * HELD + layer[0] % HELD) * PADDED;
    let level = rank * (LAYERS + 1) + layer[0];
    let x = (level * ROWS + row) * WIDTH;
    var sum = f32(weights[w + WIDTH * WIDTH + column]);
    for (var k = 0u; k < WIDTH; k++) {
        sum += f32(h[x + k])
            * f32(weights[w + k * WIDTH + column]);
    }
    if (layer[0] + 1 < LAYERS) {
        sum = max(sum, 0.0);
    }
    h[x + ROWS * WIDTH + column] = f16(sum);
}
