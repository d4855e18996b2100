// A word is merged by rank: of all pairs in it, the one of the
// lowest rank is merged, the leftmost of several, until no pair
// has a rank. A token stays where its first byte is, and its
// other bytes become NOTHING.
#pragma once
#include "nothing.cuh"

// Where the next token is, from i on; `end` if there is none.
__device__ unsigned next_token(const unsigned* ids, unsigned i,
                               unsigned end) {
    while (i < end && ids[i] == NOTHING) {
        i++;
    }
    return i;
}

// Merges the tokens from `start` to `end`, and says how many
// merges there were. `rank_of` is the rank of two tokens,
// `made_of` what they make.
template <class Rank, class Made>
__device__ unsigned merge_word(unsigned* ids, unsigned start,
                               unsigned end, Rank rank_of,
                               Made made_of) {
    for (unsigned merges_done = 0;; merges_done++) {
        unsigned lowest = NOTHING;
        unsigned best = start;
        unsigned left = start;
        unsigned right = next_token(ids, left + 1, end);
        while (right < end) {
            unsigned rank = rank_of(ids[left], ids[right]);
            if (rank < lowest) {
                lowest = rank;
                best = left;
            }
            left = right;
            right = next_token(ids, left + 1, end);
        }
        if (lowest == NOTHING) {
            return merges_done;
        }
        right = next_token(ids, best + 1, end);
        ids[best] = made_of(ids[best], ids[right]);
        ids[right] = NOTHING;
    }
}
