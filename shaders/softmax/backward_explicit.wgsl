// Softmax backward by its Jacobian: dx = J dy, where
// J = diag(y) - y yᵀ, as the chain rule says it.
// The start. A lane has an element of dx: it makes its row of
// J, an entry at a time, and multiplies. n columns take n²
// entries.

override ROWS: u32 = 128;   // rows of y, dy and dx
override COLS: u32 = 512;   // columns of y, dy and dx
override BLOCK: u32 = 128;  // workgroup size

@group(0) @binding(0) var<storage, read> y: array<f32>;
@group(0) @binding(1) var<storage, read> dy: array<f32>;
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let row = group.y + group.z * groups.y;
    let i = group.x * BLOCK + local;
    if (row >= ROWS || i >= COLS) {
        return;
    }
    let start = row * COLS;
    let y_i = y[start + i];
    var dx_i = 0.0;
    for (var k = 0u; k < COLS; k++) {
        let delta = select(0.0, 1.0, i == k);
        let j_ik = y_i * (delta - y[start + k]);
        dx_i += j_ik * dy[start + k];
    }
    dx[start + i] = dx_i;
}
