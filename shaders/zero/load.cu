// The batch: each rank takes its own rows of x, as f16. They
// are the input of the first layer.
// A thread has one element; y is the rank.
// Constants: LAYERS; BATCH, rows of all ranks; ROWS, rows of a
// rank; WIDTH, numbers in a row.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(64)
load(const float* __restrict__ x, half* __restrict__ h) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    unsigned rank = blockIdx.y;
    unsigned row = i / WIDTH;
    if (row >= ROWS || rank * ROWS + row >= BATCH) {
        return;
    }
    h[rank * (LAYERS + 1) * ROWS * WIDTH + i] =
        __float2half(x[rank * ROWS * WIDTH + i]);
}
