// Fused softmax with one barrier: against two reductions, a
// warp takes exponentials from its own maximum.
// So it need not wait for the row's maximum. What differs is
// one factor, which the scale at the end corrects.
// Constants: ROWS and COLS of x and y; BLOCK, the workgroup
// size, a power of 2 and 32 or more;
// PER_LANE, the vectors that a lane keeps: COLS / 4 / BLOCK,
// rounded up.
// __expf is the hardware's approximation of the exponential.
#include "join.cuh"
#include "vec4.cuh"
#include "warp.cuh"

// A logit that takes no part. A row with no other gives zeros.
constexpr float MASKED = -1.0e38f;

// A pair for each warp, of which there are 32 at most.
__shared__ MaxSum pairs[BLOCK / 32];

extern "C" __global__ void __launch_bounds__(BLOCK)
fused_online(const float4* __restrict__ x,
             float4* __restrict__ y) {
    unsigned local = threadIdx.x;
    unsigned row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    unsigned lane = local % 32;
    unsigned warp = local / 32;
    // From here on, pointers are to the row.
    unsigned start = row * COLS / 4;
    x += start;
    y += start;
    float4 cells[PER_LANE];
    float own_max = MASKED;
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        unsigned i = local + k * BLOCK;
        cells[k] = {MASKED, MASKED, MASKED, MASKED};
        if (4 * i < COLS) {
            cells[k] = x[i];  // one access of 16 bytes
        }
        float cell_max = max_component(cells[k]);
        own_max = fmaxf(own_max, cell_max);
    }
    own_max = warp_max(own_max);

    float own_sum = 0.0f;
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        // Beyond the row's end this is 0, or 1 where the warp
        // has nothing but masked logits.
        cells[k] = exp(cells[k] - own_max);
        own_sum += sum_components(cells[k]);
    }
    own_sum = warp_sum(own_sum);
    if (lane == 0) {
        pairs[warp] = {own_max, own_sum};
    }
    __syncthreads();

    MaxSum joined = {MASKED, 0.0f};
    if (lane < BLOCK / 32) {
        joined = join(joined, pairs[lane]);
    }
    float row_max = warp_max(joined.x);
    float joined_sum = joined.y * __expf(joined.x - row_max);
    float row_sum = warp_sum(joined_sum);

    float correction = __expf(own_max - row_max);
    float scale =
        row_max > MASKED ? correction / row_sum : 0.0f;
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        unsigned i = local + k * BLOCK;
        if (4 * i < COLS) {
            y[i] = cells[k] * scale;
        }
    }
}
