// The second of three kernels: the softmax of each row of
// scores. A workgroup has a row, and its lanes keep it between
// the sum and the quotients: each score is loaded once and each
// weight stored once.
// Constants: SEQ, scores in a row; PER_LANE, scores that a lane
// keeps: SEQ / 64, rounded up.
// __expf is the hardware's approximation of the exponential.
#include "join.cuh"

__shared__ float2 pairs[64];

extern "C" __global__ void __launch_bounds__(64)
softmax(const float* __restrict__ scores,
        float* __restrict__ probs) {
    unsigned lane = threadIdx.x;
    unsigned start = (blockIdx.x + blockIdx.y * gridDim.x) * SEQ;
    float kept[PER_LANE] = {};
    float2 own = {MASKED, 0.0f};
    for (unsigned i = 0; i < PER_LANE; i++) {
        kept[i] = MASKED;
        if (lane + 64 * i < SEQ) {
            kept[i] = scores[start + lane + 64 * i];
        }
        own.x = fmaxf(own.x, kept[i]);
    }
    for (unsigned i = 0; i < PER_LANE; i++) {
        kept[i] = __expf(kept[i] - own.x);
        own.y += kept[i];
    }

    // A tree: after each level half as many pairs are left.
    pairs[lane] = own;
    for (unsigned half = 32; half > 0; half /= 2) {
        __syncthreads();
        if (lane < half) {
            pairs[lane] = join(pairs[lane], pairs[lane + half]);
        }
    }
    __syncthreads();
    float2 row = pairs[0];

    // A row that is masked in whole has no weights.
    float scale = row.x > MASKED ? __expf(own.x - row.x) / row.y : 0.0f;
    for (unsigned i = 0; i < PER_LANE; i++) {
        if (lane + 64 * i < SEQ) {
            probs[start + lane + 64 * i] = kept[i] * scale;
        }
    }
}
