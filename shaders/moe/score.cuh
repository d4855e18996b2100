// What experts are chosen by, and what their weights are made
// of. `logits` are a token's.
#pragma once
#include "usable.cuh"

__device__ float sigmoid(float logit) {
    float clamped = fminf(fmaxf(logit, -80.0f), 80.0f);
    return 1.0f / (1.0f + expf(-clamped));
}

__device__ float choice_score(const float* logits,
                              const float* bias, unsigned e) {
    float logit = usable_logit(logits, e);
    if (SCORE == 2) {
        return sigmoid(logit) + bias[e];
    }
    return logit;
}

// `first` is the expert with the greatest logit.
__device__ float raw_weight(const float* logits, unsigned e,
                            unsigned first) {
    float logit = usable_logit(logits, e);
    if (SCORE == 2) {
        return sigmoid(logit);
    }
    return expf(logit - usable_logit(logits, first));
}
