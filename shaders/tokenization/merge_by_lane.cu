// The words that are no tokens, a lane a word: of all pairs in
// it, the one of the lowest rank is merged, the leftmost of
// several, until no pair has a rank. A token stays where its
// first byte is, and its other bytes become NOTHING.
// Constants: N, the bytes; MERGE_PLACES.
#include "merges.cuh"

constexpr unsigned END = 255;  // what stands behind the text

// Where the next token is, from i on; `end` if there is none.
__device__ unsigned next_token(const unsigned* ids, unsigned i,
                               unsigned end) {
    while (i < end && ids[i] == NOTHING) {
        i++;
    }
    return i;
}

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
    while (true) {
        unsigned lowest = NOTHING;
        unsigned best = start;
        unsigned left = start;
        unsigned right = next_token(ids, left + 1, end);
        while (right < end) {
            unsigned rank =
                merge_rank(merges, ids[left], ids[right]);
            if (rank < lowest) {
                lowest = rank;
                best = left;
            }
            left = right;
            right = next_token(ids, left + 1, end);
        }
        if (lowest == NOTHING) {
            break;
        }
        right = next_token(ids, best + 1, end);
        ids[best] = merged(merges, ids[best], ids[right]);
        ids[right] = NOTHING;
    }
}
