// Random numbers between 0 and 1: a hash of a counter each, the
// last step of the generator PCG (RXS M XS). The same counter
// gives the same number, on every device and in every order.
// A lane has one number.

override N: u32 = 256;
override SEED: u32 = 1;

@group(0) @binding(0) var<storage, read> picks: array<u32>;
@group(0) @binding(1)
var<storage, read_write> chance: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i >= N) {
        return;
    }
    let counter = picks[0] * N + i;
    let state = (counter ^ (SEED << 24)) * 747796405 + 2891336453;
    let moved = state >> ((state >> 28) + 4);
    let word = (moved ^ state) * 277803737;
    let hash = (word >> 22) ^ word;
    // 23 bits and a half: never 0 and never 1.
    chance[i] = (f32(hash >> 9) + 0.5) / 8388608.0;
}
