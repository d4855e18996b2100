// Softmax backward without the Jacobian: against J times dy,
// the product is written out, dx = y (dy - y · dy).
// n² operations become n. A workgroup has a row: one sweep
// finds y · dy, one more stores. 20 bytes an element.
// #include "tree.wgsl"

override ROWS: u32 = 128;   // rows of y, dy and dx
override COLS: u32 = 512;   // columns of y, dy and dx
override BLOCK: u32 = 128;  // workgroup size, a power of 2

@group(0) @binding(0) var<storage, read> y: array<f32>;
@group(0) @binding(1) var<storage, read> dy: array<f32>;
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let row = group.x + group.y * groups.x;
    if (row >= ROWS) {
        return;
    }
    let start = row * COLS;
    let end = start + COLS;
    var dot_y_dy = 0.0;
    for (var i = start + local; i < end; i += BLOCK) {
        dot_y_dy += y[i] * dy[i];
    }
    dot_y_dy = tree_sum(local, dot_y_dy);

    for (var i = start + local; i < end; i += BLOCK) {
        dx[i] = y[i] * (dy[i] - dot_y_dy);
    }
}
