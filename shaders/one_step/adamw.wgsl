// AdamW over all parameters. m is the running mean of the
// gradient, v that of its square. The decay is taken from the
// weight itself and does not go through m and v.
// A lane has one parameter.

override N: u32 = 10240;
override RATE: f32 = 0.003;
override DECAY: f32 = 0.1;

@group(0) @binding(0) var<storage, read> updates: array<u32>;
@group(0) @binding(1) var<storage, read> grads: array<f32>;
@group(0) @binding(2)
var<storage, read_write> weights: array<f32>;
@group(0) @binding(3) var<storage, read_write> m: array<f32>;
@group(0) @binding(4) var<storage, read_write> v: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.x + group.y * groups.x) * 256 + lane;
    if (i >= N) {
        return;
    }
    let g = grads[i];
    let mean = 0.9 * m[i] + 0.1 * g;
    let square = 0.95 * v[i] + 0.05 * g * g;
    m[i] = mean;
    v[i] = square;
    // Both began at 0: this makes up for it.
    let t = f32(updates[0] + 1);
    let step = mean / (1.0 - pow(0.9, t))
        / (sqrt(square / (1.0 - pow(0.95, t))) + 1e-8);
    weights[i] -= RATE * (step + DECAY * weights[i]);
}
