// The gradient of a layer's input: the gradient of its result
// times the transpose of its matrix, and 0 where the layer
// before set a result to 0. It takes the place of the input,
// which nobody needs any more. The first layer's is not needed.
// A thread has one element; y is the rank.
// Constants: LAYERS; BATCH, rows of all ranks; ROWS, rows of a
// rank; WIDTH, numbers in a row; HELD, layers that `weights`
// has; PADDED, elements that it has for each.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(64)
input_gradient(const unsigned* __restrict__ layer,
               const half* __restrict__ weights,
               half* __restrict__ h) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    unsigned row = i / WIDTH;
    unsigned k = i % WIDTH;
    unsigned rank = blockIdx.y;
    if (row >= ROWS || rank * ROWS + row >= BATCH
        || layer[0] == 0) {
        return;
    }
    unsigned w = (rank * HELD + layer[0] % HELD) * PADDED;
    unsigned level = rank * (LAYERS + 1) + layer[0];
    unsigned x = (level * ROWS + row) * WIDTH;
    unsigned y = x + ROWS * WIDTH;
    float sum = 0.0f;
    for (unsigned column = 0; column < WIDTH; column++) {
        sum += __half2float(h[y + column])
            * __half2float(weights[w + k * WIDTH + column]);
    }
    bool passed = __half2float(h[x + k]) > 0.0f;
    h[x + k] = __float2half(passed ? sum : 0.0f);
}
