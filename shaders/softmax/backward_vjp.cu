// Softmax backward without the Jacobian: against J times dy,
// the product is written out, dx = y (dy - y · dy).
// n² operations become n. A workgroup has a row: one sweep
// finds y · dy, one more stores. 20 bytes an element.
// Constants: ROWS and COLS of y, dy and dx; BLOCK, the
// workgroup size, a power of 2.
#include "tree.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
backward_vjp(const float* __restrict__ y,
             const float* __restrict__ dy,
             float* __restrict__ dx) {
    unsigned local = threadIdx.x;
    unsigned row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    unsigned start = row * COLS;
    unsigned end = start + COLS;
    float dot_y_dy = 0.0f;
    for (unsigned i = start + local; i < end; i += BLOCK) {
        dot_y_dy += y[i] * dy[i];
    }
    dot_y_dy = tree_sum(local, dot_y_dy);

    for (unsigned i = start + local; i < end; i += BLOCK) {
        dx[i] = y[i] * (dy[i] - dot_y_dy);
    }
}
