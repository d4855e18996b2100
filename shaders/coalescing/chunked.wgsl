// Chunked copy: each lane copies 8 consecutive elements.
// This is how CPU threads would share the work. The exercise
// rewrites it.

override N: u32 = 1048576;    // elements, a multiple of 8
override BLOCK: u32 = 256;    // workgroup size

const CHUNK = 8u;

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let t = gid.x + gid.y * (groups.x * BLOCK);
    let lanes = N / CHUNK;
    if (t < lanes) {
        for (var k = 0u; k < CHUNK; k++) {
            let i = t * CHUNK + k;
            let value = src[i];
            dst[i] = value;
        }
    }
}
