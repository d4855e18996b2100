// Array of structs, both fields wanted: one load takes the
// whole struct. The struct is a vec2, which is aligned to 8
// bytes and loads as one access of 8 bytes.

override N: u32 = 1048576;    // particles
override BLOCK: u32 = 256;    // workgroup size

@group(0) @binding(0)
var<storage, read> particles: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = gid.x + gid.y * (groups.x * BLOCK);
    if (i < N) {
        let particle = particles[i];
        dst[i] = particle.x + particle.y;
    }
}
