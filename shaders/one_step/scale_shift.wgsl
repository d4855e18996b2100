// Each number is multiplied by SCALE, and SHIFT is added.
// A lane has one element.

override N: u32 = 1024;
override SCALE: f32 = 1.5;
override SHIFT: f32 = 0.5;

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
        y[i] = x[i] * SCALE + SHIFT;
    }
}
