// The Jacobian of one row's softmax, stored:
// J[i][k] = y[i] (1 - y[i]) on the diagonal, -y[i] y[k]
// elsewhere. A lane stores an entry. A row of n elements takes
// 4 n² bytes.

override COLS: u32 = 512;   // elements of y; rows of j
override BLOCK: u32 = 128;  // workgroup size

@group(0) @binding(0) var<storage, read> y: array<f32>;
@group(0) @binding(1) var<storage, read_write> j: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = group.y;
    let k = group.x * BLOCK + local;
    if (k < COLS) {
        let delta = select(0.0, 1.0, i == k);
        j[i * COLS + k] = y[i] * (delta - y[k]);
    }
}
