// What the ranks send to each other: the tokens are spread over
// RANKS GPUs, and so are the experts, in order. A lane has one
// choice, and adds a row's bytes to what its token's rank sends
// to its expert's. What stays on its rank is not sent.
// Constants: N, the choices, tokens times K; K, the experts
// that a token goes to; T, the tokens; E, the experts; RANKS;
// ROW_BYTES.

extern "C" __global__ void __launch_bounds__(256)
between_ranks(const unsigned* __restrict__ chosen,
              unsigned* __restrict__ sent) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= N) {
        return;
    }
    unsigned origin = i / K * RANKS / T;
    unsigned to = chosen[i] * RANKS / E;
    if (origin != to) {
        atomicAdd(&sent[origin * RANKS + to], ROW_BYTES);
    }
}
