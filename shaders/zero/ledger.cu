// The ledger: how many bytes of each tensor belong to a rank. A
// kernel in CUDA C++ is not told how long a buffer is, so this
// one takes the lesson's word for it. A buffer that a stage
// does not use has one element, and is left out. Sums are in
// pairs of bytes: 4 GB do not fit in 32 bits.
// A thread has one rank.
// Constants: RANKS; STAGE; and elements of a rank: WEIGHTS;
// GRADS; SHARDS, of each of the two; OWN, of each of the three
// in f32; X; H; LOSSES.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(64)
ledger(const half* __restrict__ weights,
       const half* __restrict__ weight_shard,
       const half* __restrict__ grads,
       const half* __restrict__ grad_shard,
       const float* __restrict__ master,
       const float* __restrict__ m,
       const float* __restrict__ v,
       const float* __restrict__ x,
       const half* __restrict__ h,
       const float* __restrict__ losses,
       unsigned* __restrict__ ledger,
       unsigned* __restrict__ state_halves,
       unsigned* __restrict__ all_halves) {
    unsigned rank = blockIdx.x * 64 + threadIdx.x;
    if (rank >= RANKS) {
        return;
    }
    unsigned bytes[8] = {2 * WEIGHTS, 2 * GRADS, 4 * OWN,
                         4 * OWN, 4 * OWN};
    if (STAGE == 3) {
        // A layer that is gathered is no state of the model.
        bytes[5] = bytes[0];
        bytes[0] = 2 * SHARDS;
    }
    if (STAGE >= 2) {
        // Nor is the bucket in which gradients are summed.
        bytes[6] = bytes[1];
        bytes[1] = 2 * SHARDS;
    }
    bytes[7] = 4 * X + 2 * H + 4 * LOSSES;
    unsigned sum = 0;
    for (unsigned tensor = 0; tensor < 8; tensor++) {
        ledger[rank * 8 + tensor] = bytes[tensor];
        sum += bytes[tensor] / 2;
        if (tensor == 4) {
            state_halves[rank] = sum;
        }
    }
    all_halves[rank] = sum;
}
