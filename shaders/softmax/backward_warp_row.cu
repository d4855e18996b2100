// Softmax backward, a warp a row: against a workgroup a row,
// LANES lanes share a row, and a workgroup has several rows.
// No barrier is needed. Long rows need more registers than
// LANES lanes have.
// Constants: ROWS and COLS of y, dy and dx; BLOCK, the
// workgroup size, a power of 2 and 32 or more; LANES, those of
// a row, a power of 2 and 32 at most; PER_LANE, the vectors of
// y and of dy that a lane keeps: COLS / 4 / LANES, rounded up.
#include "row_lanes.cuh"
#include "vec4.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
backward_warp_row(const float4* __restrict__ y,
                  const float4* __restrict__ dy,
                  float4* __restrict__ dx) {
    unsigned local = threadIdx.x % LANES;
    unsigned group = blockIdx.x + blockIdx.y * gridDim.x;
    unsigned first_row = group * (BLOCK / LANES);
    unsigned row = first_row + threadIdx.x / LANES;
    // Beyond the last row, lanes do as the others do and store
    // nothing: all lanes take part in the exchanges.
    // From here on, pointers are to the row.
    unsigned start = min(row, ROWS - 1) * COLS / 4;
    y += start;
    dy += start;
    dx += start;
    float4 y_cells[PER_LANE] = {};
    float4 dy_cells[PER_LANE] = {};
    float dot_y_dy = 0.0f;
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        unsigned i = local + k * LANES;
        if (4 * i < COLS) {
            y_cells[k] = y[i];
            dy_cells[k] = dy[i];
            dot_y_dy += dot(y_cells[k], dy_cells[k]);
        }
    }
    dot_y_dy = row_lanes_sum(dot_y_dy);
    if (row >= ROWS) {
        return;
    }
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        unsigned i = local + k * LANES;
        if (4 * i < COLS) {
            float4 dy_centred = dy_cells[k] - dot_y_dy;
            dx[i] = y_cells[k] * dy_centred;
        }
    }
}
