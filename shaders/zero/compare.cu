// ZeRO or Megatron: how many bytes a GPU sends for a layer of a
// transformer in a step. With ZeRO they do not depend on the
// tokens. With tensor parallelism each token adds to them.
// Thread 0 has ZeRO, each other thread a number of tokens,
// twice that of the thread before.
// Constants: HIDDEN, numbers in a token's row; SENT, how often
// 2 bytes a parameter are sent; SHARE, that others have; FIRST,
// tokens of thread 1; TOKENS, that all GPUs have now.

// Four all-reduces of a row a token. An all-reduce sends its
// message twice, and each number has 2 bytes.
__device__ float megatron(float tokens) {
    return 4.0f * 2.0f * 2.0f * tokens * HIDDEN * SHARE;
}

// bars: the track, the part, the beginning and the end of each;
// now: with the tokens of now, tensor parallelism and ZeRO.
extern "C" __global__ void __launch_bounds__(6)
compare(float4* __restrict__ bars, float* __restrict__ now) {
    unsigned i = threadIdx.x;
    // A layer of a transformer has 12 d * d parameters.
    float zero = SENT * 2.0f * 12.0f * HIDDEN * HIDDEN * SHARE;
    if (i == 0) {
        bars[0] = make_float4(0.0f, 0.0f, 0.0f, zero);
        now[0] = megatron(TOKENS);
        now[1] = zero;
        return;
    }
    float tokens = FIRST * (1u << (i - 1));
    bars[i] = make_float4(i, 1.0f, 0.0f, megatron(tokens));
}
