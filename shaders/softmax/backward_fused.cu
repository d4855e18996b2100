// Fused softmax backward: against two sweeps, the row's y and
// dy stay in registers between the sum and the stores.
// Each is loaded once and dx is stored once: 12 bytes an
// element. Of rows too long for that, a lane keeps KEPT of its
// vectors of dy and loads the others again.
// Constants: ROWS and COLS of y, dy and dx; BLOCK, the
// workgroup size, a power of 2 and 32 or more;
// PER_LANE, the vectors of y that a lane keeps: COLS / 4 /
// BLOCK, rounded up; KEPT, those of dy, PER_LANE at most.
#include "workgroup_sum.cuh"
#include "vec4.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
backward_fused(const float4* __restrict__ y,
               const float4* __restrict__ dy,
               float4* __restrict__ dx) {
    unsigned local = threadIdx.x;
    unsigned row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    // From here on, pointers are to the row.
    unsigned start = row * COLS / 4;
    y += start;
    dy += start;
    dx += start;
    float4 y_cells[PER_LANE] = {};
    float4 dy_cells[KEPT] = {};
    float dot_y_dy = 0.0f;
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        unsigned i = local + k * BLOCK;
        if (4 * i < COLS) {
            y_cells[k] = y[i];
            float4 dy_i = dy[i];
            dot_y_dy += dot(y_cells[k], dy_i);
            if (k < KEPT) {
                dy_cells[k] = dy_i;
            }
        }
    }
    dot_y_dy = workgroup_sum(dot_y_dy);

    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        unsigned i = local + k * BLOCK;
        if (4 * i < COLS) {
            float4 dy_i;
            if (k < KEPT) {
                dy_i = dy_cells[k];
            } else {
                dy_i = dy[i];  // often still cached
            }
            float4 dy_centred = dy_i - dot_y_dy;
            dx[i] = y_cells[k] * dy_centred;
        }
    }
}
