// Back through the output: y grows by w for each 1 that h
// grows by. A lane has one neuron of one example.

override ROWS: u32 = 4;
override HIDDEN: u32 = 4;

@group(0) @binding(0) var<storage, read> w: array<f32>;
@group(0) @binding(1) var<storage, read> d_y: array<f32>;
@group(0) @binding(2) var<storage, read_write> d_h: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i < ROWS * HIDDEN) {
        let j = i % HIDDEN;
        d_h[i] = d_y[i / HIDDEN] * w[3 * HIDDEN + j];
    }
}
