// One step of a ring that copies (all-gather): each rank takes
// over the chunk that its left neighbour got in the step
// before, and first its neighbour's own.
// A thread has one element; y is the rank.
// Constants: RANKS; CHUNK, elements of a chunk; HELD, layers
// that a rank's row has.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
ring_copy(const unsigned* __restrict__ turn,
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
    unsigned chunk = (rank + RANKS - 1 - step) % RANKS;
    unsigned row = HELD * RANKS * CHUNK;
    unsigned at = (layer[0] % HELD * RANKS + chunk) * CHUNK
        + first + lane;
    data[rank * row + at] = data[left * row + at];
    if (lane == 0) {
        atomicAdd(&meter[left * RANKS + rank],
                  2 * min(256u, CHUNK - first));
    }
}
