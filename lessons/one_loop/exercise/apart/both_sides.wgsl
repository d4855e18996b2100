// Each lane computes both kinds and keeps one: nobody disagrees, and each warp still does all the work.

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
    var even = src[i];
    var odd = even;
    for (var turn = 0u; turn < TURNS; turn++) {
        even = 0.5 * even + 1.0;
        odd = 1.0 - 0.5 * odd * odd;
    }
    dst[i] = select(odd, even, i % 2u == 0u);
}
