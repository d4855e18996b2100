// Three kernels in one: scale and shift, GELU, scale and shift.
// Intermediate results stay in a register.
// A lane has one element.

override N: u32 = 1024;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.x + group.y * groups.x) * 256 + lane;
    if (i < N) {
        let u = x[i] * 1.5 + 0.5;
        let z = 0.7978845608 * u * (1.0 + 0.044715 * u * u);
        let g = u / (1.0 + exp(-2.0 * z));
        y[i] = g * 2.0 + 1.0;
    }
}
