// Adam, with the decay as a part of the gradient: it goes through
// m and v. Both begin at 0, and nothing makes up for it.
// A lane has one parameter.

override N: u32 = 256;
override RATE: f32 = 0.1;
override DECAY: f32 = 0.1;

// Updates that were made before this one.
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
    let w = weights[i];
    let g = grads[i] + DECAY * w;
    let mean = 0.9 * m[i] + 0.1 * g;
    let square = 0.95 * v[i] + 0.05 * g * g;
    m[i] = mean;
    v[i] = square;
    let t = f32(updates[0] + 1);
    weights[i] = w - RATE * mean / (sqrt(square) + 1e-8);
}
