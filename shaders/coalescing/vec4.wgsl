// Vector copy: against the copy, a lane moves four elements at
// once. A quarter of the lanes make a quarter of the requests,
// each four times as wide.

override N: u32 = 262144;     // vectors of four elements
override BLOCK: u32 = 256;    // workgroup size

@group(0) @binding(0) var<storage, read> src: array<vec4<f32>>;
@group(0) @binding(1)
var<storage, read_write> dst: array<vec4<f32>>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = gid.x + gid.y * (groups.x * BLOCK);
    if (i < N) {
        let value = src[i];    // one access of 16 bytes
        dst[i] = value;
    }
}
