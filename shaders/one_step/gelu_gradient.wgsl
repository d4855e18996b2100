// GELU, backward, in place: with h = 1 / (1 + e^(-2 z)), the
// slope of u h is h + u * 2 h (1 - h) * dz/du.
// A lane has one element.

override N: u32 = 1024;  // elements of a layer
override HELD: u32 = 2;  // layers that `u` has

@group(0) @binding(0) var<storage, read> layer: array<u32>;
@group(0) @binding(1) var<storage, read> u: array<f32>;
@group(0) @binding(2) var<storage, read_write> d_u: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.x + group.y * groups.x) * 256 + lane;
    if (i < N) {
        let x = u[layer[0] % HELD * N + i];
        let z = 0.7978845608 * x * (1.0 + 0.044715 * x * x);
        let dz = 0.7978845608 * (1.0 + 0.134145 * x * x);
        let h = 1.0 / (1.0 + exp(-2.0 * z));
        d_u[i] *= h + 2.0 * x * h * (1.0 - h) * dz;
    }
}
