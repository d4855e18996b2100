// Where the first of the most frequent pairs stands, by the
// rule that the pair is merged that the text has first. A lane
// has one word. Words, and so their tokens, are in the order in
// which the text has them.
// Constant: PLACES, of pairs, a power of two.
#include "pair_hash.cuh"

// So many places are tried.
constexpr unsigned TRIES = 1024;

// How often a pair occurs.
__device__ unsigned count_of(const unsigned* pairs,
                             unsigned pair) {
    unsigned place = hash_of(pair);
    for (unsigned tries = 0; tries < TRIES; tries++) {
        place &= PLACES - 1;
        unsigned held = pairs[2 * place];
        if (held == pair + 1) {
            return pairs[2 * place + 1];
        }
        if (held == 0) {
            break;
        }
        place++;
    }
    return 0;
}

// best: the greatest count, and the first place of a pair with
// it.
extern "C" __global__ void __launch_bounds__(256)
first_place(const unsigned* __restrict__ totals,
            const unsigned* __restrict__ word,
            const unsigned* __restrict__ tokens,
            const unsigned* __restrict__ pairs,
            unsigned* __restrict__ best) {
    unsigned w = blockIdx.x * 256 + threadIdx.x;
    unsigned most = best[0];
    if (w >= totals[0] || most == 0) {
        return;
    }
    unsigned first = word[3 * w];
    unsigned end = first + word[3 * w + 1];
    // Words from the first one found on need not be read.
    for (unsigned i = first; i + 1 < end
         && i < *(volatile unsigned*)&best[1]; i++) {
        unsigned pair = pair_of(tokens[i], tokens[i + 1]);
        if (count_of(pairs, pair) == most) {
            atomicMin(&best[1], i);
            return;
        }
    }
}
