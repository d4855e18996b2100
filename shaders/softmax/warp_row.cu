// Softmax, a warp a row: against a workgroup a row, LANES lanes
// share a row, and a workgroup has several rows.
// No barrier is needed. Long rows need more registers than
// LANES lanes have.
// Constants: ROWS and COLS of x and y; BLOCK, the workgroup
// size, a power of 2 and 32 or more; LANES, those of a row, a
// power of 2 and 32 at most; PER_LANE, the vectors that a lane
// keeps: COLS / 4 / LANES, rounded up.
#include "row_lanes.cuh"
#include "vec4.cuh"

// A logit that takes no part. A row with no other gives zeros.
constexpr float MASKED = -1.0e38f;

// The maximum of the values of a row's lanes, found as
// row_lanes_sum finds their sum.
__device__ float row_lanes_max(float value) {
    for (unsigned bit = 1; bit < LANES; bit *= 2) {
        float other = __shfl_xor_sync(0xffffffff, value, bit);
        value = fmaxf(value, other);
    }
    return value;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
warp_row(const float4* __restrict__ x,
         float4* __restrict__ y) {
    unsigned local = threadIdx.x % LANES;
    unsigned group = blockIdx.x + blockIdx.y * gridDim.x;
    unsigned first_row = group * (BLOCK / LANES);
    unsigned row = first_row + threadIdx.x / LANES;
    // Beyond the last row, lanes do as the others do and store
    // nothing: all lanes take part in the exchanges.
    // From here on, pointers are to the row.
    unsigned start = min(row, ROWS - 1) * COLS / 4;
    x += start;
    y += start;
    float4 cells[PER_LANE];
    float row_max = MASKED;
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        unsigned i = local + k * LANES;
        cells[k] = {MASKED, MASKED, MASKED, MASKED};
        if (4 * i < COLS) {
            cells[k] = x[i];  // one access of 16 bytes
        }
        row_max = fmaxf(row_max, max_component(cells[k]));
    }
    row_max = row_lanes_max(row_max);

    float row_sum = 0.0f;
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        // Beyond the row's end this is 0.
        cells[k] = exp(cells[k] - row_max);
        row_sum += sum_components(cells[k]);
    }
    row_sum = row_lanes_sum(row_sum);

    if (row >= ROWS) {
        return;
    }
    float scale = row_max > MASKED ? 1.0f / row_sum : 0.0f;
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        unsigned i = local + k * LANES;
        if (4 * i < COLS) {
            y[i] = cells[k] * scale;
        }
    }
}
