// Which K experts each token goes to, and with which weights.
// A lane has one token, and searches its logits once for each
// place: the greatest score that comes after the one before.
// Of equal scores the lower expert comes first.
// Constants: T, the tokens; E, the experts; K, the experts that
// a token goes to; SCORE:
// 0: the softmax over all experts.
// 1: the softmax over the K that were chosen.
// 2: the sigmoid, divided by the sum of the K; the bias helps
//    to choose, and is no part of the weight.
#include "score.cuh"

extern "C" __global__ void __launch_bounds__(64)
choose(const float* __restrict__ logits,
       const float* __restrict__ bias,
       unsigned* __restrict__ chosen,
       float* __restrict__ weight) {
    unsigned token = blockIdx.x * 64 + threadIdx.x;
    if (token >= T) {
        return;
    }
    logits += token * E;
    unsigned picked[K];
    unsigned last = E;  // none yet
    float last_score = 0.0f;
    for (unsigned place = 0; place < K; place++) {
        unsigned best = E;
        float best_score = 0.0f;
        for (unsigned e = 0; e < E; e++) {
            float score = choice_score(logits, bias, e);
            bool after = last == E || score < last_score
                || (score == last_score && e > last);
            if (after && (best == E || score > best_score)) {
                best = e;
                best_score = score;
            }
        }
        picked[place] = best;
        last = best;
        last_score = best_score;
    }
    float all = 0.0f;
    if (SCORE == 0) {
        for (unsigned e = 0; e < E; e++) {
            all += raw_weight(logits, e, picked[0]);
        }
    } else {
        for (unsigned place = 0; place < K; place++) {
            all += raw_weight(logits, picked[place], picked[0]);
        }
    }
    for (unsigned place = 0; place < K; place++) {
        unsigned expert = picked[place];
        float raw = raw_weight(logits, expert, picked[0]);
        chosen[token * K + place] = expert;
        weight[token * K + place] = raw / all;
    }
}
