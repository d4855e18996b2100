// Encodes a text with merges that were learnt before. A lane
// has one byte; the lane of a word's first byte encodes the
// word. `pieces` is how many tokens a word became.
// Constants: N, the bytes; V, the tokens that there can be.
#include "by_rank.cuh"

extern "C" __global__ void __launch_bounds__(256)
encode_words(const unsigned* __restrict__ wall,
             const unsigned* __restrict__ rank,
             unsigned* __restrict__ ids,
             unsigned* __restrict__ pieces) {
    unsigned start = blockIdx.x * 256 + threadIdx.x;
    if (start >= N) {
        return;
    }
    pieces[start] = 0;
    if (wall[start] == 0) {
        return;
    }
    unsigned end = start + 1;
    while (end < N && wall[end] == 0) {
        end++;
    }
    auto rank_of = [&](unsigned left, unsigned right) {
        return rank[left * V + right];
    };
    auto made_of = [&](unsigned left, unsigned right) {
        return 256 + rank[left * V + right];
    };
    pieces[start] = end - start
        - merge_word(ids, start, end, rank_of, made_of);
}
