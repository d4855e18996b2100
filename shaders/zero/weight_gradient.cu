// A layer's gradient, from a rank's own rows: the layer's input
// times the gradient of its result, summed over the rows. The
// bias has the input 1. Padding has the gradient 0.
// A thread has one parameter; y is the rank.
// Constants: LAYERS; BATCH, rows of all ranks; ROWS, rows of a
// rank; WIDTH, numbers in a row; HELD, layers that `grads` has;
// PADDED, elements that it has for each.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(64)
weight_gradient(const unsigned* __restrict__ layer,
                const half* __restrict__ h,
                half* __restrict__ grads) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    unsigned rank = blockIdx.y;
    if (i >= PADDED) {
        return;
    }
    unsigned k = i / WIDTH;
    unsigned column = i % WIDTH;
    unsigned rows = 0;
    if (k <= WIDTH && rank * ROWS < BATCH) {
        rows = min(ROWS, BATCH - rank * ROWS);
    }
    unsigned level = rank * (LAYERS + 1) + layer[0];
    float sum = 0.0f;
    for (unsigned row = 0; row < rows; row++) {
        unsigned x = (level * ROWS + row) * WIDTH;
        float factor = 1.0f;
        if (k < WIDTH) {
            factor = __half2float(h[x + k]);
        }
        sum +=
            factor * __half2float(h[x + ROWS * WIDTH + column]);
    }
    unsigned g = (rank * HELD + layer[0] % HELD) * PADDED;
    grads[g + i] = __float2half(sum);
}
