// The round's pair is merged in all words, and the counts of
// pairs are changed where that changes them. A block has 1,024
// words. It lists those that may have the pair, and then each
// lane goes through a word of the list, from the left.
// Constants: PLACES: see pairs.cuh; HINTS, 0 if all words are
// read.
#include "pairs.cuh"

constexpr unsigned WORDS = 1024;  // of a block

struct Merge {
    unsigned left, right, merged;
    Pairs counts;
    unsigned* word;
    unsigned* tokens;
    Hints* hints;

    // Whether a merge may begin at token i of a word.
    __device__ bool begins(unsigned i, unsigned end) const {
        return i + 1 < end && tokens[i] == left
            && tokens[i + 1] == right;
    }

    // The first token at which a merge begins; `end` if none
    // does. Four are read at a time: they do not wait for each
    // other.
    __device__ unsigned first_begin(unsigned first,
                                    unsigned end) const {
        unsigned last = end - 1;
        unsigned here = tokens[first];
        for (unsigned at = first; at < last; at += 4) {
            unsigned b = tokens[min(at + 1, last)];
            unsigned c = tokens[min(at + 2, last)];
            unsigned d = tokens[min(at + 3, last)];
            unsigned e = tokens[min(at + 4, last)];
            if (here == left && b == right) {
                return at;
            }
            if (b == left && c == right && at + 1 < last) {
                return at + 1;
            }
            if (c == left && d == right && at + 2 < last) {
                return at + 2;
            }
            if (d == left && e == right && at + 3 < last) {
                return at + 3;
            }
            here = e;
        }
        return end;
    }

    __device__ void in(unsigned w) const {
        unsigned first = word[3 * w];
        unsigned end = first + word[3 * w + 1];
        unsigned at = first_begin(first, end);
        if (at == end) {
            return;
        }
        unsigned times = word[3 * w + 2];
        // Where the next token goes, and whether that before it
        // is a new one, which has counted what is between.
        unsigned to = at;
        bool is_behind_new = false;
        while (at < end) {
            if (!begins(at, end)) {
                tokens[to++] = tokens[at++];
                is_behind_new = false;
                continue;
            }
            if (to > first && !is_behind_new) {
                unsigned before = tokens[to - 1];
                counts.take(pair_of(before, left), times);
                counts.add(pair_of(before, merged), times);
            }
            if (at + 2 < end) {
                unsigned next = tokens[at + 2];
                if (left != right || next != right) {
                    counts.take(pair_of(right, next), times);
                }
                unsigned behind =
                    begins(at + 2, end) ? merged : next;
                counts.add(pair_of(merged, behind), times);
            }
            tokens[to++] = merged;
            at += 2;
            is_behind_new = true;
        }
        word[3 * w + 1] = to - first;
        hints[w] = hints_of_word(tokens, first, to);
    }
};

// pair: what is merged in this round, and its token; word: the
// first token of each, how many it has, and how often it
// occurs.
extern "C" __global__ void __launch_bounds__(256)
merge_in_words(const unsigned* __restrict__ totals,
               const unsigned* __restrict__ pair,
               const uint2* __restrict__ tile_best,
               unsigned* __restrict__ word,
               unsigned* __restrict__ tokens,
               Hints* __restrict__ hints,
               unsigned* __restrict__ pairs,
               unsigned* __restrict__ stale,
               unsigned* __restrict__ trouble) {
    __shared__ unsigned listed[WORDS];
    __shared__ unsigned many;
    unsigned lane = threadIdx.x;
    unsigned own = pair_of(pair[0], pair[1]);
    if (pair[0] == NOTHING) {
        return;
    }
    if (lane == 0) {
        many = 0;
    }
    __syncthreads();
    for (unsigned k = lane; k < WORDS; k += 256) {
        unsigned w = blockIdx.x * WORDS + k;
        if (w < totals[0]
            && (HINTS == 0 || (hints[w] & hint_of(own)) != 0)) {
            listed[atomicAdd(&many, 1u)] = w;
        }
    }
    __syncthreads();
    Pairs counts{tile_best, pairs, stale, trouble};
    // The pair itself is gone everywhere.
    if (blockIdx.x == 0 && lane == 0) {
        counts.clear(own);
    }
    Merge merge{pair[0], pair[1], pair[2], counts, word, tokens,
                hints};
    for (unsigned k = lane; k < many; k += 256) {
        merge.in(listed[k]);
    }
}
