// GELU, backward, in place. With h = 1 / (1 + e^(-2 z)), the
// result of GELU was g = u h, and its slope is
// h + u * 2 h (1 - h) * dz/du. Here h is taken from g, which is
// loaded for it.
// A lane has one element.

override N: u32 = 1024;

@group(0) @binding(0) var<storage, read> u: array<f32>;
@group(0) @binding(1) var<storage, read> g: array<f32>;
@group(0) @binding(2) var<storage, read_write> d_u: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.x + group.y * groups.x) * 256 + lane;
    if (i < N) {
        let x = u[i];
        let kept = g[i];
        let h = select(kept / x, 0.5, x == 0.0);
        let dz = 0.7978845608 * (1.0 + 0.134145 * x * x);
        d_u[i] *= h + 2.0 * x * h * (1.0 - h) * dz;
    }
}
