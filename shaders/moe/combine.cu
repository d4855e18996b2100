// Adds up what a token's experts gave: K rows, each times its
// weight. A lane computes one element of y.
// Constants: T, the tokens; K, the experts that a token goes
// to; D, the columns of y.

extern "C" __global__ void __launch_bounds__(256)
combine(const float* __restrict__ rows,
        const unsigned* __restrict__ row_of,
        const float* __restrict__ weight,
        float* __restrict__ y) {
    unsigned block = blockIdx.x + blockIdx.y * gridDim.x;
    unsigned i = block * 256 + threadIdx.x;
    if (i >= T * D) {
        return;
    }
    unsigned token = i / D;
    float sum = 0.0f;
    for (unsigned place = 0; place < K; place++) {
        unsigned choice = token * K + place;
        unsigned row = row_of[choice];
        sum += weight[choice] * rows[row * D + i % D];
    }
    y[i] = sum;
}
