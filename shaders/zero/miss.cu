// The loss: half the mean square of what the network's result
// misses. The network is to give back its input.
// The result's gradient takes the place of the result. It is
// multiplied by SCALE, so that it does not become 0 in f16.
// A thread has one row; y is the rank from FIRST on.
// Constants: LAYERS; BATCH, rows of all ranks; ROWS, rows of a
// rank; WIDTH, numbers in a row; SCALE; FIRST, the rank of
// y = 0.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(64)
miss(const float* __restrict__ x, half* __restrict__ h,
     float* __restrict__ losses) {
    unsigned row = blockIdx.x * 64 + threadIdx.x;
    if (row >= ROWS) {
        return;
    }
    unsigned mine = blockIdx.y * ROWS + row;
    float sum = 0.0f;
    if (FIRST * ROWS + mine < BATCH) {
        unsigned level = blockIdx.y * (LAYERS + 1) + LAYERS;
        unsigned y = (level * ROWS + row) * WIDTH;
        for (unsigned k = 0; k < WIDTH; k++) {
            float miss =
                __half2float(h[y + k]) - x[mine * WIDTH + k];
            sum += miss * miss;
            h[y + k] =
                __float2half(miss * SCALE / (BATCH * WIDTH));
        }
    }
    losses[mine] = sum / (2 * BATCH * WIDTH);
}
