// A step of a tree that copies (broadcast): ranks that have the
// numbers of rank 0 hand them on. In the first step it is rank
// 0 alone; in each step twice as many have them.
// A thread has one element; y is the rank.
// Constants: RANKS; COUNT, elements of a rank; FAR, the
// distance of the first step.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
tree_down(const unsigned* __restrict__ turn,
          half* __restrict__ data,
          unsigned* __restrict__ meter) {
    unsigned lane = threadIdx.x;
    unsigned first = blockIdx.x * 256;
    unsigned rank = blockIdx.y;
    unsigned i = first + lane;
    if (i >= COUNT) {
        return;
    }
    unsigned distance = FAR >> turn[0];
    if (rank % (2 * distance) != distance) {
        return;
    }
    unsigned peer = rank - distance;
    data[rank * COUNT + i] = data[peer * COUNT + i];
    if (lane == 0) {
        atomicAdd(&meter[peer * RANKS + rank],
                  2 * min(256u, COUNT - first));
    }
}
