// A step of a tree that sums: ranks meet in pairs, and one of
// each reads all that the other has, and adds it. In the first
// step they are neighbours; the distance doubles each time. In
// the end rank 0 has the sum.
// A thread has one element; y is the rank.
// Constants: RANKS; COUNT, elements of a rank.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
tree_up(const unsigned* __restrict__ turn,
        half* __restrict__ data,
        unsigned* __restrict__ meter) {
    unsigned lane = threadIdx.x;
    unsigned first = blockIdx.x * 256;
    unsigned rank = blockIdx.y;
    unsigned i = first + lane;
    if (i >= COUNT) {
        return;
    }
    unsigned distance = 1u << turn[0];
    unsigned peer = rank + distance;
    if (rank % (2 * distance) != 0 || peer >= RANKS) {
        return;
    }
    data[rank * COUNT + i] = __hadd(data[rank * COUNT + i],
                                    data[peer * COUNT + i]);
    if (lane == 0) {
        atomicAdd(&meter[peer * RANKS + rank],
                  2 * min(256u, COUNT - first));
    }
}
