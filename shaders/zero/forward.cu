// A layer, forward: each rank multiplies its rows by its copy
// of the layer's matrix, and adds the bias, which is the
// matrix's last row. Products are summed in f32, and all that
// is stored is f16. Every layer but the last sets negative
// results to 0.
// A thread has one element of the result; y is the rank.
// Constants: LAYERS; BATCH, rows of all ranks; ROWS, rows of a
// rank; WIDTH, numbers in a row; HELD, layers that `weights`
// has; PADDED, elements that it has for each.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(64)
forward(const unsigned* __restrict__ layer,
        const half* __restrict__ weights,
        half* __restrict__ h) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    unsigned row = i / WIDTH;
    unsigned column = i % WIDTH;
    unsigned rank = blockIdx.y;
    if (row >= ROWS || rank * ROWS + row >= BATCH) {
        return;
    }
    unsigned w = (rank * HELD + layer[0] % HELD) * PADDED;
    unsigned level = rank * (LAYERS + 1) + layer[0];
    unsigned x = (level * ROWS + row) * WIDTH;
    float sum =
        __half2float(weights[w + WIDTH * WIDTH + column]);
    for (unsigned k = 0; k < WIDTH; k++) {
        sum += __half2float(h[x + k])
            * __half2float(weights[w + k * WIDTH + column]);
    }
    if (layer[0] + 1 < LAYERS) {
        sum = fmaxf(sum, 0.0f);
    }
    h[x + ROWS * WIDTH + column] = __float2half(sum);
}
