// RMSNorm: a row is divided by the root of its mean square. It
// has no gain: the product that follows could take it in.
// The factor is kept, since the way back needs it.
// A block has one row.
// Constants: ROWS and WIDTH; X_HELD, layers that `x` has; HELD,
// layers that `y` and `factor` have; BLOCK, threads of a row, a
// power of 2.
#include "sum_lanes.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
rms_norm(const unsigned* __restrict__ layer,
         const float* __restrict__ x, float* __restrict__ y,
         float* __restrict__ factor) {
    unsigned lane = threadIdx.x;
    unsigned row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    unsigned start = (layer[0] % X_HELD * ROWS + row) * WIDTH;
    unsigned kept = layer[0] % HELD * ROWS + row;
    float squares = 0.0f;
    for (unsigned c = lane; c < WIDTH; c += BLOCK) {
        squares += x[start + c] * x[start + c];
    }
    squares = sum_lanes(lane, squares);
    // A row of zeros stays zeros.
    float scale = 1.0f / sqrtf(squares / WIDTH + 1e-5f);
    for (unsigned c = lane; c < WIDTH; c += BLOCK) {
        y[kept * WIDTH + c] = x[start + c] * scale;
    }
    if (lane == 0) {
        factor[kept] = scale;
    }
}
