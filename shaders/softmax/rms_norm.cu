// RMSNorm: each element of a row is divided by the root of the
// mean of the row's squares, and multiplied by its column's
// weight. Like the fused softmax, a workgroup keeps its row in
// registers: each element is loaded once and stored once.
// Constants: ROWS and COLS of x and y; BLOCK, the workgroup
// size, a power of 2;
// PER_LANE, the elements that a lane keeps: COLS / BLOCK,
// rounded up.
#include "tree.cuh"

// Keeps a row of zeros from being divided by 0.
constexpr float EPSILON = 1.0e-5f;

extern "C" __global__ void __launch_bounds__(BLOCK)
rms_norm(const float* __restrict__ x,
         const float* __restrict__ weight,
         float* __restrict__ y) {
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
    float squares = 0.0f;
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        unsigned i = local + k * BLOCK;
        cells[k] = 0.0f;
        if (i < COLS) {
            cells[k] = x[i];
        }
        squares += cells[k] * cells[k];
    }
    squares = tree_sum(local, squares);

    float scale = 1.0f / sqrtf(squares / float(COLS) + EPSILON);
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        unsigned i = local + k * BLOCK;
        if (i < COLS) {
            y[i] = cells[k] * scale * weight[i];
        }
    }
}
