// Against `choose`: the experts choose their tokens. Each takes
// the SLOTS tokens with the greatest logits for it.
// A block has one expert. A lane counts how many tokens come
// before its own: those with a greater logit and, of equal
// ones, the lower.
// Constants: T, the tokens; E, the experts; SLOTS, the tokens
// that an expert takes.
#include "usable.cuh"

extern "C" __global__ void __launch_bounds__(256)
pick_tokens(const float* __restrict__ logits,
            unsigned* __restrict__ taken,
            unsigned* __restrict__ picks) {
    unsigned expert = blockIdx.x;
    for (unsigned token = threadIdx.x; token < T;
         token += 256) {
        float own = usable_logit(logits + token * E, expert);
        unsigned before = 0;
        for (unsigned other = 0; other < T; other++) {
            float logit =
                usable_logit(logits + other * E, expert);
            bool is_first = logit > own
                || (logit == own && other < token);
            before += is_first ? 1 : 0;
        }
        if (before < SLOTS) {
            taken[expert * SLOTS + before] = token;
            atomicAdd(&picks[token], 1u);
        }
    }
}
