// The edge is tested, and nothing is done about the elements that are left over.

override N: u32 = 65536;     // elements
override LANES: u32 = 1;     // lanes that share the work
override BLOCK: u32 = 1;     // workgroup size

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let share = N / LANES;
    let first = gid.x * share;
    for (var i = first; i < first + share; i++) {
        if (i < N) {
            dst[i] = 2.0 * src[i];
        }
    }
}
