// The update: a step downhill, against the gradient.

override COUNT: u32 = 17;   // parameters
override RATE: f32 = 0.2;   // the learning rate

@group(0) @binding(0) var<storage, read> g: array<f32>;
@group(0) @binding(1) var<storage, read_write> w: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i < COUNT) {
        w[i] -= RATE * g[i];
    }
}
