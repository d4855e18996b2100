// The z-loss of each token: the square of the logarithm of its
// sum of exponentials. It keeps logits small. A lane has one
// token.
// Constants: T, the tokens; E, the experts.
#include "usable.cuh"

extern "C" __global__ void __launch_bounds__(64)
squares(const float* __restrict__ logits,
        float* __restrict__ lse,
        float* __restrict__ squares) {
    unsigned token = blockIdx.x * 64 + threadIdx.x;
    if (token >= T) {
        return;
    }
    logits += token * E;
    float greatest = usable_logit(logits, 0);
    for (unsigned e = 1; e < E; e++) {
        greatest = fmaxf(greatest, usable_logit(logits, e));
    }
    float sum = 0.0f;
    for (unsigned e = 0; e < E; e++) {
        sum += expf(usable_logit(logits, e) - greatest);
    }
    float log_sum = greatest + logf(sum);
    lse[token] = log_sum;
    squares[token] = log_sum * log_sum;
}
