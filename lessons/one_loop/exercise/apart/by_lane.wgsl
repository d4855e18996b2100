// The kind is asked of the lane instead of the element: no warp disagrees, and half of the elements get the other kind's work.

override N: u32 = 65536;     // elements
override RUN: u32 = 1;       // neighbours of one kind: 1 here
override TURNS: u32 = 64;    // turns of either loop
override BLOCK: u32 = 256;   // workgroup size, a multiple of 64

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i >= N) {
        return;
    }
    var x = src[i];
    if (i / 32u % 2u == 0u) {
        for (var turn = 0u; turn < TURNS; turn++) {
            x = 0.5 * x + 1.0;          // goes to 2
        }
    } else {
        for (var turn = 0u; turn < TURNS; turn++) {
            x = 1.0 - 0.5 * x * x;      // goes to 0.732
        }
    }
    dst[i] = x;
}
