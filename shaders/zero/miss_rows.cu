// The loss, with a block for each row: its threads go through
// the row together, and then sum up what each has.
// y is the rank from FIRST on, x the row.
// Constants: LAYERS; BATCH, rows of all ranks; ROWS, rows of a
// rank; WIDTH, numbers in a row; SCALE; FIRST, the rank of
// y = 0.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
miss_rows(const float* __restrict__ x, half* __restrict__ h,
          float* __restrict__ losses) {
    __shared__ float parts[256];
    unsigned lane = threadIdx.x;
    unsigned row = blockIdx.x;
    unsigned mine = blockIdx.y * ROWS + row;
    bool is_there = FIRST * ROWS + mine < BATCH;
    unsigned level = blockIdx.y * (LAYERS + 1) + LAYERS;
    unsigned y = (level * ROWS + row) * WIDTH;
    float sum = 0.0f;
    for (unsigned k = lane; k < WIDTH && is_there; k += 256) {
        float miss =
            __half2float(h[y + k]) - x[mine * WIDTH + k];
        sum += miss * miss;
        h[y + k] = __float2half(miss * SCALE / (BATCH * WIDTH));
    }
    parts[lane] = sum;
    for (unsigned half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (lane < half) {
            parts[lane] += parts[lane + half];
        }
    }
    if (lane == 0) {
        losses[mine] = parts[0] / (2 * BATCH * WIDTH);
    }
}
