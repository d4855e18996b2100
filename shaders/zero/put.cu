// Before parameters are gathered, a rank puts its shard of the
// layer where it belongs in the whole layer.
// A thread has one element; y is the rank from FIRST on.
// Constants: RANKS; LAYERS; CHUNK, elements of a shard; HELD,
// layers that `weights` has; FIRST, the rank of y = 0.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
put(const unsigned* __restrict__ layer,
    const half* __restrict__ weight_shard,
    half* __restrict__ weights) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    unsigned rank = FIRST + blockIdx.y;
    if (i < CHUNK) {
        unsigned row = blockIdx.y * LAYERS + layer[0];
        unsigned held = blockIdx.y * HELD + layer[0] % HELD;
        weights[(held * RANKS + rank) * CHUNK + i] =
            weight_shard[row * CHUNK + i];
    }
}
