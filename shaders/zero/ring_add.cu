// One step of a ring that sums (reduce-scatter): each rank
// reads a chunk of its left neighbour, and adds it to its own.
// The chunk that it adds is the one that its neighbour finished
// in the step before. A chunk starts at the rank after its
// owner, and ends at its owner.
// A thread has one element; y is the rank.
// Constants: RANKS; CHUNK, elements of a chunk; HELD, layers
// that a rank's row has.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
ring_add(const unsigned* __restrict__ turn,
         const unsigned* __restrict__ layer,
         half* __restrict__ data,
         unsigned* __restrict__ meter) {
    unsigned lane = threadIdx.x;
    unsigned first = blockIdx.x * 256;
    unsigned rank = blockIdx.y;
    if (first + lane >= CHUNK || RANKS == 1) {
        return;
    }
    // `turn` counts on from ring to ring.
    unsigned step = turn[0] % max(1u, RANKS - 1);
    unsigned left = (rank + RANKS - 1) % RANKS;
    unsigned chunk = (rank + 2 * RANKS - 2 - step) % RANKS;
    unsigned row = HELD * RANKS * CHUNK;
    unsigned at = (layer[0] % HELD * RANKS + chunk) * CHUNK
        + first + lane;
    data[rank * row + at] =
        __hadd(data[rank * row + at], data[left * row + at]);
    if (lane == 0) {
        atomicAdd(&meter[left * RANKS + rank],
                  2 * min(256u, CHUNK - first));
    }
}
