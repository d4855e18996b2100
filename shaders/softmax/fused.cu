// Fused softmax: against the sweeps, a workgroup keeps its row.
// Each lane holds PER_LANE logits in registers. Each element is
// loaded once and stored once: 8 bytes, the least possible.
// Constants: ROWS and COLS of x and y; BLOCK, the workgroup
// size, a power of 2;
// PER_LANE, the elements that a lane keeps: COLS / BLOCK,
// rounded up.
// __expf is the hardware's approximation of the exponential.
#include "tree.cuh"

// A logit that takes no part. A row with no other gives zeros.
constexpr float MASKED = -1.0e38f;

extern "C" __global__ void __launch_bounds__(BLOCK)
fused(const float* __restrict__ x, float* __restrict__ y) {
    unsigned local = threadIdx.x;
    unsigned row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    // From here on, pointers are to the row.
    unsigned start = row * COLS;
    x += start;
    y += start;
    float cells[PER_LANE];
    float row_max = MASKED;
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        unsigned i = local + k * BLOCK;
        cells[k] = MASKED;
        if (i < COLS) {
            cells[k] = x[i];
        }
        row_max = fmaxf(row_max, cells[k]);
    }
    row_max = tree_max(local, row_max);

    float row_sum = 0.0f;
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        // Beyond the row's end this is 0.
        cells[k] = __expf(cells[k] - row_max);
        row_sum += cells[k];
    }
    row_sum = tree_sum(local, row_sum);

    float scale = row_max > MASKED ? 1.0f / row_sum : 0.0f;
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        unsigned i = local + k * BLOCK;
        if (i < COLS) {
            y[i] = cells[k] * scale;
        }
    }
}
