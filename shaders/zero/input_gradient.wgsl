// The gradient of a layer's input: the gradient of its result
// times the transpose of its matrix, and 0 where the layer
// before set a result to 0. It takes the place of the input,
// which nobody needs any more. The first layer's is not needed.
// A lane has one element; y is the rank.

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
    let k = gid.x % WIDTH;
    let rank = gid.y;
    if (row >= ROWS || rank * ROWS + row >= BATCH
        || layer[0] == 0) {
        return;
    }
    let w = (rank * HELD + layer[0] % HELD) * PADDED;
    let level = rank * (LAYERS + 1) + layer[0];
    let x = (level * ROWS + row) * WIDTH;
    let y = x + ROWS * WIDTH;
    var sum = 0.0;
    for (var column = 0u; column < WIDTH; column++) {
        sum += f32(h[y + column])
            * f32(weights[w + k * WIDTH + column]);
    }
    h[x + k] = select(0.0h, f16(sum), h[x + k] > 0.0h);
}
