// Each token becomes its row of the embedding, with which the
// weights begin: the input of the first layer.
// A lane has one element.

override ROWS: u32 = 16;
override WIDTH: u32 = 16;

@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2) var<storage, read_write> x: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.x + group.y * groups.x) * 256 + lane;
    if (i < ROWS * WIDTH) {
        x[i] = weights[ids[i / WIDTH] * WIDTH + i % WIDTH];
    }
}
