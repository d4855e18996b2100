// ZeRO or Megatron: how many bytes a GPU sends in a step if the
// model's matrices are split over the GPUs, for each byte that
// it sends with ZeRO. A thread has one number of tokens, each
// twice the one before.
// Constants: HIDDEN, numbers in a token's row; SENT, how often
// 2 bytes a parameter are sent; FIRST, the first thread's
// tokens.

extern "C" __global__ void __launch_bounds__(8)
compare(float* __restrict__ ratio) {
    unsigned i = threadIdx.x;
    float tokens = FIRST * (1u << i);
    // Four all-reduces of a row a token in each layer.
    float megatron = 4.0f * 2.0f * 2.0f * tokens * HIDDEN;
    // A layer of a transformer has 12 d * d parameters.
    float zero = SENT * 2.0f * 12.0f * HIDDEN * HIDDEN;
    ratio[i] = megatron / zero;
}
