// Router logits and choice in one kernel: a warp has TOKENS
// tokens, whose rows it reads once. A lane takes two columns of
// them at a time, with the two rows of w that they meet, and
// adds up its part of 32 logits. Then the lanes exchange halves
// five times, until each lane holds the whole sum of one: lane
// l has expert l % E of token l / E. The choice is made among
// the E lanes of a token.
// Constants: T, the tokens; D, the columns of x, a multiple of
// 8; E, the experts, 4, 8, 16 or 32; K, the experts that a
// token goes to. x and w are bf16; the weights are the softmax
// over the K that were chosen.
#include "bf16.cuh"

constexpr unsigned TOKENS = 32 / E;
constexpr unsigned ALL = 0xffffffffu;
// Larger than any sensible logit. Differences stay finite.
constexpr float LARGEST = 1.0e18f;

extern "C" __global__ void __launch_bounds__(256)
route_warp(const bf16* __restrict__ x,
           const bf16* __restrict__ w,
           unsigned* __restrict__ chosen,
           float* __restrict__ weight) {
    unsigned lane = threadIdx.x % 32;
    unsigned warp = blockIdx.x * 8 + threadIdx.x / 32;
    unsigned first = warp * TOKENS;
    if (first >= T) {
        return;
    }
    float sums[32] = {};
    #pragma unroll 4
    for (unsigned d0 = 2 * lane; d0 < D; d0 += 64) {
        // Rows d0 and d0 + 1 of w: 2 E numbers in a row, which
        // neighbouring lanes continue.
        alignas(16) unsigned factors[E];
        #pragma unroll
        for (unsigned i = 0; i < E; i += 4) {
            *(uint4*)(factors + i) =
                *(const uint4*)(w + d0 * E + 2 * i);
        }
        #pragma unroll
        for (unsigned t = 0; t < TOKENS; t++) {
            // The last warp may have fewer tokens.
            unsigned token = min(first + t, T - 1);
            size_t from = (size_t)token * D + d0;
            unsigned two = *(const unsigned*)(x + from);
            #pragma unroll
            for (unsigned i = 0; i < E / 2; i++) {
                unsigned upper = factors[i];
                unsigned lower = factors[E / 2 + i];
                sums[t * E + 2 * i] +=
                    low(two) * low(upper)
                    + high(two) * low(lower);
                sums[t * E + 2 * i + 1] +=
                    low(two) * high(upper)
                    + high(two) * high(lower);
            }
        }
    }
    // Each step halves the sums that a lane holds.
    #pragma unroll
    for (unsigned half = 16; half > 0; half /= 2) {
        bool upper = lane & half;
        #pragma unroll
        for (unsigned i = 0; i < half; i++) {
            float kept = upper ? sums[i + half] : sums[i];
            float sent = upper ? sums[i] : sums[i + half];
            sums[i] = kept + __shfl_xor_sync(ALL, sent, half);
        }
    }
    float logit = sums[0];
    bool is_nan = !(logit == logit);
    logit = is_nan ? -LARGEST
                   : fminf(fmaxf(logit, -LARGEST), LARGEST);

    unsigned token = first + lane / E;
    unsigned expert = lane % E;
    bool is_free = true;
    float greatest = 0.0f, all = 0.0f;
    float exponentials[K];
    unsigned experts[K];
    #pragma unroll
    for (unsigned place = 0; place < K; place++) {
        // Of equal logits the lower expert comes first.
        float best = is_free ? logit : -2.0f * LARGEST;
        unsigned best_expert = expert;
        #pragma unroll
        for (unsigned step = E / 2; step > 0; step /= 2) {
            float other = __shfl_xor_sync(ALL, best, step);
            unsigned other_expert =
                __shfl_xor_sync(ALL, best_expert, step);
            bool is_lower = other_expert < best_expert;
            if (other > best || (other == best && is_lower)) {
                best = other;
                best_expert = other_expert;
            }
        }
        if (best_expert == expert) {
            is_free = false;
        }
        if (place == 0) {
            greatest = best;
        }
        experts[place] = best_expert;
        exponentials[place] = __expf(best - greatest);
        all += exponentials[place];
    }
    if (expert == 0 && token < T) {
        #pragma unroll
        for (unsigned place = 0; place < K; place++) {
            chosen[token * K + place] = experts[place];
            weight[token * K + place] =
                exponentials[place] / all;
        }
    }
}
