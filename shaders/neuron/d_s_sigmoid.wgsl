// Back through the activation: the sigmoid h has the slope
// h (1 - h). A lane has one neuron of one example.

override ROWS: u32 = 4;
override HIDDEN: u32 = 4;

@group(0) @binding(0) var<storage, read> h: array<f32>;
@group(0) @binding(1) var<storage, read> d_h: array<f32>;
@group(0) @binding(2) var<storage, read_write> d_s: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i < ROWS * HIDDEN) {
        let a = h[i];
        d_s[i] = d_h[i] * a * (1.0 - a);
    }
}
