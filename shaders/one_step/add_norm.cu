// A residual and the norm after it: the sum is stored for the
// next residual, its norm for the product that follows.
// A block has one row, and loads the sum again that it has just
// stored: the norm needs the whole row first.
// Constants: ROWS and WIDTH; BLOCK, threads of a row, a power
// of 2.
#include "sum_lanes.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
add_norm(const float* __restrict__ x,
         const float* __restrict__ branch,
         float* __restrict__ sum, float* __restrict__ y,
         float* __restrict__ factor) {
    unsigned lane = threadIdx.x;
    unsigned row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    unsigned start = row * WIDTH;
    float squares = 0.0f;
    for (unsigned c = lane; c < WIDTH; c += BLOCK) {
        float s = x[start + c] + branch[start + c];
        sum[start + c] = s;
        squares += s * s;
    }
    squares = sum_lanes(lane, squares);
    // A row of zeros stays zeros.
    float scale = 1.0f / sqrtf(squares / WIDTH + 1e-5f);
    for (unsigned c = lane; c < WIDTH; c += BLOCK) {
        y[start + c] = sum[start + c] * scale;
    }
    if (lane == 0) {
        factor[row] = scale;
    }
}
