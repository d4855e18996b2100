// The batch: each rank takes its own rows of x, as f16. They
// are the input of the first layer.
// A lane has one element; y is the rank.

enable f16;

override LAYERS: u32 = 2;
override BATCH: u32 = 56;  // rows of all ranks
override ROWS: u32 = 14;   // rows of a rank
override WIDTH: u32 = 16;  // numbers in a row

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> h: array<f16>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    let rank = gid.y;
    let row = i / WIDTH;
    if (row >= ROWS || rank * ROWS + row >= BATCH) {
        return;
    }
    h[rank * (LAYERS + 1) * ROWS * WIDTH + i] =
        f16(x[rank * ROWS * WIDTH + i]);
}
