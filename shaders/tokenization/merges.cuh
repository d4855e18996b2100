// The merges of a vocabulary as a table. Each place has two
// tokens, the rank of their merge and what they make; a free
// place has NOTHING in all four.
// Constant: MERGE_PLACES, a power of two.
#pragma once
#include "nothing.cuh"

// The place of two tokens, or the free place that ends the
// search.
__device__ const unsigned* merge_place(const unsigned* merges,
                                       unsigned left,
                                       unsigned right) {
    unsigned place = (left * 2654435769u)
        ^ (right * 2246822519u);
    place = (place ^ (place >> 15)) & (MERGE_PLACES - 1);
    const unsigned* at = merges + 4 * place;
    while (at[0] != NOTHING
           && (at[0] != left || at[1] != right)) {
        place = (place + 1) & (MERGE_PLACES - 1);
        at = merges + 4 * place;
    }
    return at;
}

// The rank of two tokens' merge; NOTHING if there is none.
__device__ unsigned merge_rank(const unsigned* merges,
                               unsigned left, unsigned right) {
    return merge_place(merges, left, right)[2];
}

// What they make.
__device__ unsigned merged(const unsigned* merges,
                           unsigned left, unsigned right) {
    return merge_place(merges, left, right)[3];
}
