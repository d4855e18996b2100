// ZeRO or Megatron: how many bytes a GPU sends in a step if the
// model's matrices are split over the GPUs, for each byte that
// it sends with ZeRO. A lane has one number of tokens, each
// twice the one before.

override HIDDEN: f32 = 4096.0;  // numbers in a token's row
override SENT: f32 = 2.0;  // how often 2 bytes a parameter are sent
override FIRST: f32 = 512.0;  // tokens of the first lane

@group(0) @binding(0)
var<storage, read_write> ratio: array<f32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    let tokens = FIRST * f32(1u << i);
    // Four all-reduces of a row a token in each layer.
    let megatron = 4.0 * 2.0 * 2.0 * tokens * HIDDEN;
    // A layer of a transformer has 12 d * d parameters.
    let zero = SENT * 2.0 * 12.0 * HIDDEN * HIDDEN;
    ratio[i] = megatron / zero;
}
