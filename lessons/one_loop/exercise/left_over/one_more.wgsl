// Each lane takes one element more: the first of its neighbour's, which writes it, too.

override N: u32 = 65536;     // elements
override LANES: u32 = 1;     // lanes that share the work
override BLOCK: u32 = 1;     // workgroup size

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let share = N / LANES;
    let first = gid.x * share;
    for (var i = first; i <= min(first + share, N - 1u); i++) {
        dst[i] = 2.0 * src[i];
    }
}
