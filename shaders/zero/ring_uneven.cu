// A step of the ring that sums, without padding: the chunks of
// a message differ by one element where RANKS does not divide
// it. Chunk c begins at c * COUNT / RANKS, rounded down.
// A thread has one element; y is the rank.
// Constants: RANKS; COUNT, elements of a rank.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
ring_uneven(const unsigned* __restrict__ turn,
            half* __restrict__ data,
            unsigned* __restrict__ meter) {
    unsigned rank = blockIdx.y;
    unsigned left = (rank + RANKS - 1) % RANKS;
    unsigned chunk = (rank + 2 * RANKS - 2 - turn[0]) % RANKS;
    unsigned first = chunk * COUNT / RANKS + blockIdx.x * 256;
    unsigned end = (chunk + 1) * COUNT / RANKS;
    unsigned at = first + threadIdx.x;
    if (at >= end || turn[0] + 1 >= RANKS) {
        return;
    }
    data[rank * COUNT + at] = __hadd(data[rank * COUNT + at],
                                     data[left * COUNT + at]);
    if (threadIdx.x == 0) {
        atomicAdd(&meter[left * RANKS + rank],
                  2 * min(256u, end - first));
    }
}
