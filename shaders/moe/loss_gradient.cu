// The gradient of the auxiliary loss with respect to a token's
// logits. f is a count, and has no gradient; p is a mean of
// softmaxes:
// dL/dlogit = p * (E f - sum of E f * p over experts) / T.
// A lane has one token. `loads` is E times f.
// Constants: T, the tokens; E, the experts.
#include "usable.cuh"

extern "C" __global__ void __launch_bounds__(64)
loss_gradient(const float* __restrict__ logits,
              const float* __restrict__ lse,
              const float* __restrict__ loads,
              float* __restrict__ gradient) {
    unsigned token = blockIdx.x * 64 + threadIdx.x;
    if (token >= T) {
        return;
    }
    logits += token * E;
    gradient += token * E;
    float mean = 0.0f;
    for (unsigned e = 0; e < E; e++) {
        float p = expf(usable_logit(logits, e) - lse[token]);
        mean += loads[e] * p;
    }
    for (unsigned e = 0; e < E; e++) {
        float p = expf(usable_logit(logits, e) - lse[token]);
        gradient[e] = p * (loads[e] - mean) / (float)T;
    }
}
