// Softmax in three sweeps over a row: its maximum, the sum of
// its exponentials, its quotients.
// The start. A workgroup has a row. Each sweep reads the row
// from global memory: 16 bytes an element, with the store.
// Constants: ROWS and COLS of x and y; BLOCK, the workgroup
// size, a power of 2.
// __expf is the hardware's approximation of the exponential.
#include "tree.cuh"

// A logit that takes no part. A row with no other gives zeros.
constexpr float MASKED = -1.0e38f;

extern "C" __global__ void __launch_bounds__(BLOCK)
three_pass(const float* __restrict__ x, float* __restrict__ y) {
    unsigned local = threadIdx.x;
    unsigned row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    unsigned start = row * COLS;
    float row_max = MASKED;
    for (unsigned i = local; i < COLS; i += BLOCK) {
        row_max = fmaxf(row_max, x[start + i]);
    }
    row_max = tree_max(local, row_max);

    float row_sum = 0.0f;
    for (unsigned i = local; i < COLS; i += BLOCK) {
        row_sum += __expf(x[start + i] - row_max);
    }
    row_sum = tree_sum(local, row_sum);

    float scale = row_max > MASKED ? 1.0f / row_sum : 0.0f;
    for (unsigned i = local; i < COLS; i += BLOCK) {
        y[start + i] = __expf(x[start + i] - row_max) * scale;
    }
}
