// GELU with a tanh: u / 2 * (1 + tanh z), where
// z = sqrt(2 / pi) * (u + 0.044715 u³). Half of 1 + tanh z is
// 1 / (1 + e^(-2 z)), which cancels nothing.
// A lane has one element.

override N: u32 = 1024;  // elements of a layer
override HELD: u32 = 2;  // layers that the buffers have

@group(0) @binding(0) var<storage, read> layer: array<u32>;
@group(0) @binding(1) var<storage, read> u: array<f32>;
@group(0) @binding(2) var<storage, read_write> g: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.x + group.y * groups.x) * 256 + lane;
    if (i < N) {
        let at = layer[0] % HELD * N + i;
        let x = u[at];
        let z = 0.7978845608 * x * (1.0 + 0.044715 * x * x);
        g[at] = x / (1.0 + exp(-2.0 * z));
    }
}
