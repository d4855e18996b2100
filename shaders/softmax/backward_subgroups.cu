// Softmax backward with warps' own exchanges: against the tree,
// lanes of a warp exchange values without memory.
// One barrier is left, between the two sweeps.
// Constants: ROWS and COLS of y, dy and dx; BLOCK, the
// workgroup size, a power of 2 and 32 or more.
#include "workgroup_sum.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
backward_subgroups(const float* __restrict__ y,
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
    dot_y_dy = workgroup_sum(dot_y_dy);

    for (unsigned i = start + local; i < end; i += BLOCK) {
        dx[i] = y[i] * (dy[i] - dot_y_dy);
    }
}
