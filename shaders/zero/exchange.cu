// All-to-all in one step: each rank has a chunk for each rank.
// A rank reads, from all ranks, the chunk that is for itself.
// A thread has one element; y is the rank.
// Constants: RANKS; CHUNK, elements of a chunk.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
exchange(const half* __restrict__ data,
         half* __restrict__ result,
         unsigned* __restrict__ meter) {
    unsigned lane = threadIdx.x;
    unsigned first = blockIdx.x * 256;
    unsigned rank = blockIdx.y;
    unsigned i = first + lane;
    if (i >= CHUNK) {
        return;
    }
    for (unsigned n = 0; n < RANKS; n++) {
        unsigned peer = (rank + n) % RANKS;
        result[(rank * RANKS + peer) * CHUNK + i] =
            data[(peer * RANKS + rank) * CHUNK + i];
        // What a rank has for itself is not sent.
        if (lane == 0 && n > 0) {
            atomicAdd(&meter[peer * RANKS + rank],
                      2 * min(256u, CHUNK - first));
        }
    }
}
