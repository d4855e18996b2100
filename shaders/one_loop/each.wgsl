// A lane for each element: lane i doubles element i.

override N: u32 = 65536;     // elements
override BLOCK: u32 = 256;   // workgroup size

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i < N) {
        dst[i] = 2.0 * src[i];
    }
}
