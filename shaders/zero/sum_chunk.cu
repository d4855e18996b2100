// All-reduce in two steps, the first: a rank reads its own
// chunk of all ranks, and adds it up. It begins with the rank
// after itself and ends with itself, as the ring does.
// A thread has one element; y is the rank.
// Constants: RANKS; CHUNK, elements of a chunk.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
sum_chunk(const half* __restrict__ data,
          half* __restrict__ result,
          unsigned* __restrict__ meter) {
    unsigned lane = threadIdx.x;
    unsigned first = blockIdx.x * 256;
    unsigned rank = blockIdx.y;
    if (first + lane >= CHUNK) {
        return;
    }
    unsigned row = RANKS * CHUNK;
    unsigned at = rank * CHUNK + first + lane;
    half sum = data[(rank + 1) % RANKS * row + at];
    for (unsigned n = 2; n <= RANKS; n++) {
        sum = __hadd(sum, data[(rank + n) % RANKS * row + at]);
    }
    result[rank * row + at] = sum;
    if (lane == 0) {
        for (unsigned n = 1; n < RANKS; n++) {
            unsigned peer = (rank + n) % RANKS;
            atomicAdd(&meter[peer * RANKS + rank],
                      2 * min(256u, CHUNK - first));
        }
    }
}
