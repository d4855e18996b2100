// RMSNorm, backward: with y = x * factor, the gradient of x is
// factor * (dy - y * mean of dy * y). It is added to that which
// goes past the norm, unless ADDS is 0.
// A block has one row.
// Constants: ROWS and WIDTH; HELD, layers that `y` and `factor`
// have; ADDS; BLOCK, threads of a row, a power of 2.
#include "sum_lanes.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
rms_norm_gradient(const unsigned* __restrict__ layer,
                  const float* __restrict__ y,
                  const float* __restrict__ factor,
                  const float* __restrict__ d_y,
                  float* __restrict__ d_x) {
    unsigned lane = threadIdx.x;
    unsigned row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    unsigned kept = layer[0] % HELD * ROWS + row;
    float product = 0.0f;
    for (unsigned c = lane; c < WIDTH; c += BLOCK) {
        product += d_y[row * WIDTH + c] * y[kept * WIDTH + c];
    }
    float mean = sum_lanes(lane, product) / WIDTH;
    for (unsigned c = lane; c < WIDTH; c += BLOCK) {
        unsigned i = row * WIDTH + c;
        float own =
            factor[kept] * (d_y[i] - y[kept * WIDTH + c] * mean);
        if (ADDS == 1) {
            d_x[i] += own;
        } else {
            d_x[i] = own;
        }
    }
}
