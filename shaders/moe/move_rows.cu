// Brings the tokens' rows into the experts' order: row r of
// `rows` is that of the token whose choice got it.
// A lane moves one element; neighbours move neighbours.
// Constants: N, the choices, tokens times K; K, the experts
// that a token goes to; D, the columns of x.

extern "C" __global__ void __launch_bounds__(256)
move_rows(const float* __restrict__ x,
          const unsigned* __restrict__ source,
          float* __restrict__ rows) {
    unsigned block = blockIdx.x + blockIdx.y * gridDim.x;
    unsigned i = block * 256 + threadIdx.x;
    if (i >= N * D) {
        return;
    }
    unsigned token = source[i / D] / K;
    rows[i] = x[token * D + i % D];
}
