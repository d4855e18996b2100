// Fused softmax of vectors: against single elements, a lane
// loads and stores four neighbours at once.
// A quarter of the requests move the same bytes. COLS is a
// multiple of 4, so rows begin at multiples of 16 bytes.
// Constants: ROWS and COLS of x and y; BLOCK, the workgroup
// size, a power of 2 and 32 or more;
// PER_LANE, the vectors that a lane keeps: COLS / 4 / BLOCK,
// rounded up.
#include "workgroup_max.cuh"
#include "workgroup_sum.cuh"
#include "vec4.cuh"

// A logit that takes no part. A row with no other gives zeros.
constexpr float MASKED = -1.0e38f;

extern "C" __global__ void __launch_bounds__(BLOCK)
fused_vec4(const float4* __restrict__ x,
           float4* __restrict__ y) {
    unsigned local = threadIdx.x;
    unsigned row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    // From here on, pointers are to the row.
    unsigned start = row * COLS / 4;
    x += start;
    y += start;
    float4 cells[PER_LANE];
    float row_max = MASKED;
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        unsigned i = local + k * BLOCK;
        cells[k] = {MASKED, MASKED, MASKED, MASKED};
        if (4 * i < COLS) {
            cells[k] = x[i];  // one access of 16 bytes
        }
        row_max = fmaxf(row_max, max_component(cells[k]));
    }
    row_max = workgroup_max(row_max);

    float row_sum = 0.0f;
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        // Beyond the row's end this is 0.
        cells[k] = exp(cells[k] - row_max);
        row_sum += sum_components(cells[k]);
    }
    row_sum = workgroup_sum(row_sum);

    float scale = row_max > MASKED ? 1.0f / row_sum : 0.0f;
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        unsigned i = local + k * BLOCK;
        if (4 * i < COLS) {
            y[i] = cells[k] * scale;
        }
    }
}
