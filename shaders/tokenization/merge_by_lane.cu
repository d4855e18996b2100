// The words that are no tokens, a lane a word.
// Constants: N, the bytes; MERGE_PLACES.
#include "by_rank.cuh"
#include "merges.cuh"

constexpr unsigned END = 255;  // what stands behind the text

// of_byte has the token of each single byte; words the first
// bytes of the words, and waiting[0] their number.
extern "C" __global__ void __launch_bounds__(256)
merge_by_lane(const unsigned* __restrict__ text,
              const unsigned* __restrict__ wall,
              const unsigned* __restrict__ merges,
              const unsigned* __restrict__ of_byte,
              const unsigned* __restrict__ words,
              const unsigned* __restrict__ waiting,
              unsigned* __restrict__ ids) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= waiting[0]) {
        return;
    }
    unsigned start = words[i];
    unsigned end = start;
    do {
        ids[end] = of_byte[text[end]];
        end++;
    } while (end < N && wall[end] == 0 && text[end] != END);
    auto rank_of = [&](unsigned left, unsigned right) {
        return merge_rank(merges, left, right);
    };
    auto made_of = [&](unsigned left, unsigned right) {
        return merged(merges, left, right);
    };
    merge_word(ids, start, end, rank_of, made_of);
}
