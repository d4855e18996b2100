// The parameters that the products read: a rank rounds its
// part of a layer's master copy from f32 to f16.
// A thread has one element; y is the rank from FIRST on.
// Constants: LAYERS; OWN, elements of a layer that a rank
// updates; ROW, elements that `weights` has for a layer; SHIFT,
// its own begin at this times its number; FIRST, the rank of
// y = 0.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
cast(const unsigned* __restrict__ layer,
     const float* __restrict__ master,
     half* __restrict__ weights) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    unsigned rank = FIRST + blockIdx.y;
    if (i >= OWN) {
        return;
    }
    unsigned row = blockIdx.y * LAYERS + layer[0];
    weights[row * ROW + rank * SHIFT + i] =
        __float2half(master[row * OWN + i]);
}
