// Every lane does the whole loop, as every program would that knows nothing of lanes.

override N: u32 = 65536;     // elements
override LANES: u32 = 1;     // lanes that share the work
override BLOCK: u32 = 1;     // workgroup size

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    for (var i = 0u; i < N; i++) {
        dst[i] = 2.0 * src[i];
    }
}
