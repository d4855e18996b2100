// Copy: lane i loads element i and stores element i.
// Neighbouring lanes touch neighbouring elements, in the load
// and in the store.

override N: u32 = 1048576;    // elements
override BLOCK: u32 = 256;    // workgroup size

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    // A grid has at most 65,535 workgroups along x, so longer
    // arrays go on along y.
    let i = gid.x + gid.y * (groups.x * BLOCK);
    if (i < N) {
        let value = src[i];
        dst[i] = value;
    }
}
