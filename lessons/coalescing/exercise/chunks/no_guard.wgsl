// Copy in passes, and lanes past the end take part: where there are more lanes than eighths of the array, they leave it.

override N: u32 = 1048576;    // elements, a multiple of 8
override BLOCK: u32 = 256;    // lanes in a workgroup

const CHUNK = 8u;

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(@builtin(global_invocation_id) gid: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let t = gid.x + gid.y * (groups.x * BLOCK);
    let lanes = N / CHUNK;
    for (var k = 0u; k < CHUNK; k++) {
        let i = k * lanes + t;
        let value = src[i];
        dst[i] = value;
    }
}
