// Adds what the shared expert gave, which every token goes to,
// to the sum of the chosen experts. A lane has one element.

override N: u32 = 65536;  // elements: tokens times columns

@group(0) @binding(0)
var<storage, read> shared_rows: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = gid.x + gid.y * groups.x * 256u;
    if (i < N) {
        y[i] += shared_rows[i];
    }
}
