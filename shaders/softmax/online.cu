// Softmax in two sweeps: against the three, one sweep finds
// the maximum and the sum together.
// A lane that meets a larger logit scales its sum down to it:
// 12 bytes an element instead of 16.
// Constants: ROWS and COLS of x and y; BLOCK, the workgroup
// size, a power of 2.
// __expf is the hardware's approximation of the exponential.
#include "join.cuh"

// A logit that takes no part. A row with no other gives zeros.
constexpr float MASKED = -1.0e38f;

__shared__ MaxSum partial[BLOCK];

extern "C" __global__ void __launch_bounds__(BLOCK)
online(const float* __restrict__ x, float* __restrict__ y) {
    unsigned local = threadIdx.x;
    unsigned row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    unsigned start = row * COLS;
    MaxSum lane_pair = {MASKED, 0.0f};
    for (unsigned i = local; i < COLS; i += BLOCK) {
        lane_pair = join(lane_pair, {x[start + i], 1.0f});
    }

    // The pairs of all lanes become one, by a tree.
    partial[local] = lane_pair;
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (local < half) {
            MaxSum other = partial[local + half];
            partial[local] = join(partial[local], other);
        }
    }
    __syncthreads();
    MaxSum row_pair = partial[0];
    float row_max = row_pair.x;
    float row_sum = row_pair.y;

    float scale = row_max > MASKED ? 1.0f / row_sum : 0.0f;
    for (unsigned i = local; i < COLS; i += BLOCK) {
        y[start + i] = __expf(x[start + i] - row_max) * scale;
    }
}
