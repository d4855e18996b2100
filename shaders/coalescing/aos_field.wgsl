// One field out of an array of structs.
// The lanes' elements are neighbours, but their x fields are a
// whole struct, 8 bytes, apart.

struct Particle {
    x: f32,
    y: f32,
}

override N: u32 = 1048576;    // particles
override BLOCK: u32 = 256;    // workgroup size

@group(0) @binding(0)
var<storage, read> particles: array<Particle>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = gid.x + gid.y * (groups.x * BLOCK);
    if (i < N) {
        // One access of 4 bytes: the next x is 8 bytes further.
        let x = particles[i].x;
        dst[i] = x;
    }
}
