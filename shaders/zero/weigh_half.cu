// The ledger's entry of one tensor: how many bytes of it belong
// to a rank. A kernel in CUDA C++ is not told how long a buffer
// is, so it takes the lesson's word for it.
// y is the rank.
// Constants: RANKS; COLUMN, of the ledger; COUNT, the tensor's
// elements.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(1)
weigh_half(const half* __restrict__ tensor,
           unsigned* __restrict__ ledger) {
    if (blockIdx.x > 0) {
        return;
    }
    ledger[blockIdx.y * 8 + COLUMN] += 2 * COUNT / RANKS;
}
