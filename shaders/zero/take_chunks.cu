// All-reduce in two steps, the second: a rank reads each of the
// other chunks from its owner.
// A thread has one element; y is the rank.
// Constants: RANKS; CHUNK, elements of a chunk.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
take_chunks(half* __restrict__ result,
            unsigned* __restrict__ meter) {
    unsigned lane = threadIdx.x;
    unsigned first = blockIdx.x * 256;
    unsigned rank = blockIdx.y;
    if (first + lane >= CHUNK) {
        return;
    }
    unsigned row = RANKS * CHUNK;
    for (unsigned n = 1; n < RANKS; n++) {
        unsigned peer = (rank + n) % RANKS;
        unsigned at = peer * CHUNK + first + lane;
        result[rank * row + at] = result[peer * row + at];
        if (lane == 0) {
            atomicAdd(&meter[peer * RANKS + rank],
                      2 * min(256u, CHUNK - first));
        }
    }
}
