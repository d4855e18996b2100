// How often each pair occurs in all words together. A lane has
// one word. For each pair in it, it adds the number of times
// that the word occurs in the text.
#include "pairs.cuh"

// word: the first token of each, how many it has, and how often
// the word occurs.
extern "C" __global__ void __launch_bounds__(256)
count_in_words(const unsigned* __restrict__ totals,
               const unsigned* __restrict__ table,
               const unsigned* __restrict__ tokens,
               const unsigned* __restrict__ word_slot,
               const uint2* __restrict__ tile_best,
               unsigned* __restrict__ word,
               Hints* __restrict__ hints,
               unsigned* __restrict__ pairs,
               unsigned* __restrict__ stale,
               unsigned* __restrict__ trouble) {
    unsigned w = blockIdx.x * 256 + threadIdx.x;
    if (w >= totals[0]) {
        return;
    }
    Pairs counts{tile_best, pairs, stale, trouble};
    unsigned first = word[3 * w];
    unsigned length = word[3 * w + 1];
    unsigned times = table[3 * word_slot[w] + 1];
    word[3 * w + 2] = times;
    for (unsigned i = first; i + 1 < first + length; i++) {
        counts.add(pair_of(tokens[i], tokens[i + 1]), times);
    }
    hints[w] = hints_of_word(tokens, first, first + length);
}
