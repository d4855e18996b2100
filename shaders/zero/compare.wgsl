// ZeRO or Megatron: how many bytes a GPU sends for a layer of a
// transformer in a step. With ZeRO they do not depend on the
// tokens. With tensor parallelism each token adds to them.
// Lane 0 has ZeRO, each other lane a number of tokens, twice
// that of the lane before.

override HIDDEN: f32 = 4096.0;  // numbers in a token's row
override SENT: f32 = 2.0;  // how often 2 bytes a parameter are sent
override SHARE: f32 = 0.875;  // that others have: (N - 1) / N
override FIRST: f32 = 2048.0;  // tokens of lane 1
override TOKENS: f32 = 65536.0;  // that all GPUs have now

// A bar: its track, its part, its beginning and its end.
@group(0) @binding(0)
var<storage, read_write> bars: array<vec4<f32>>;
// With the tokens of now: tensor parallelism, and ZeRO.
@group(0) @binding(1) var<storage, read_write> now: array<f32>;

// Four all-reduces of a row a token. An all-reduce sends its
// message twice, and each number has 2 bytes.
fn megatron(tokens: f32) -> f32 {
    return 4.0 * 2.0 * 2.0 * tokens * HIDDEN * SHARE;
}

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    // A layer of a transformer has 12 d * d parameters.
    let zero = SENT * 2.0 * 12.0 * HIDDEN * HIDDEN * SHARE;
    if (i == 0) {
        bars[0] = vec4(0.0, 0.0, 0.0, zero);
        now[0] = megatron(TOKENS);
        now[1] = zero;
        return;
    }
    let tokens = FIRST * f32(1u << (i - 1));
    bars[i] = vec4(f32(i), 1.0, 0.0, megatron(tokens));
}
