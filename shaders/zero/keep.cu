// After a layer's gradient is summed, a rank keeps its own
// chunk. The bucket is free for another layer. Before the first
// layer is summed, `layer` is LAYERS, and there is nothing yet.
// A thread has one element; y is the rank from FIRST on.
// Constants: RANKS; LAYERS; CHUNK, elements of a shard; HELD,
// layers that `grads` has; FIRST, the rank of y = 0.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
keep(const unsigned* __restrict__ layer,
     const half* __restrict__ grads,
     half* __restrict__ grad_shard) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    unsigned rank = FIRST + blockIdx.y;
    if (i < CHUNK && layer[0] < LAYERS) {
        unsigned row = blockIdx.y * LAYERS + layer[0];
        unsigned held = blockIdx.y * HELD + layer[0] % HELD;
        grad_shard[row * CHUNK + i] =
            grads[(held * RANKS + rank) * CHUNK + i];
    }
}
