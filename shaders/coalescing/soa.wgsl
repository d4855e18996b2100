// Struct of arrays: against the array of structs, each field
// has an array of its own.
// One load of 8 bytes becomes two loads of 4 bytes.

override N: u32 = 1048576;    // particles
override BLOCK: u32 = 256;    // workgroup size

@group(0) @binding(0) var<storage, read> xs: array<f32>;
@group(0) @binding(1) var<storage, read> ys: array<f32>;
@group(0) @binding(2) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = gid.x + gid.y * (groups.x * BLOCK);
    if (i < N) {
        let x = xs[i];
        let y = ys[i];
        dst[i] = x + y;
    }
}
