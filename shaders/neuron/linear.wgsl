// A linear model: y = X w. A lane has one row of X. It
// multiplies each number by the weight of its column, and adds
// the products.

override ROWS: u32 = 64;    // examples
override COLS: u32 = 8;     // numbers of an example

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let row = gid.x;
    if (row >= ROWS) {
        return;
    }
    var sum = 0.0;
    for (var k = 0u; k < COLS; k++) {
        sum += x[row * COLS + k] * w[k];
    }
    y[row] = sum;
}
