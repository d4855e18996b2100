// Before parameters are gathered, a rank puts its shard of the
// layer where it belongs in the whole layer.
// A thread has one element; y is the rank.
// Constants: RANKS; LAYERS; CHUNK, elements of a shard.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
put(const unsigned* __restrict__ layer,
    const half* __restrict__ weight_shard,
    half* __restrict__ weights) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    unsigned rank = blockIdx.y;
    if (i < CHUNK) {
        unsigned row = rank * LAYERS + layer[0];
        weights[(rank * RANKS + rank) * CHUNK + i] =
            weight_shard[row * CHUNK + i];
    }
}
