// Combine, backwards: each row that an expert gave gets its
// token's row of dy, times the weight that it has in the sum.
// A lane has one element; neighbours have neighbours.
// Constants: N, the choices, tokens times K; K, the experts
// that a token goes to; D, the columns of dy.

extern "C" __global__ void __launch_bounds__(256)
spread_rows(const float* __restrict__ dy,
            const unsigned* __restrict__ source,
            const float* __restrict__ weight,
            float* __restrict__ drows) {
    unsigned block = blockIdx.x + blockIdx.y * gridDim.x;
    unsigned i = block * 256 + threadIdx.x;
    if (i >= N * D) {
        return;
    }
    unsigned choice = source[i / D];
    unsigned token = choice / K;
    drows[i] = weight[choice] * dy[token * D + i % D];
}
