// The words that are no tokens, a block a word: a warp, or more
// lanes. The tokens of a word and the ranks of its pairs are
// kept in shared memory, and for a merge two ranks are looked
// up. All lanes look for the lowest one.
// Constants: N, the bytes; MERGE_PLACES; LANES, of a block.
#include "merges.cuh"

constexpr unsigned WARPS = LANES / 32;
constexpr unsigned ALL = 0xffffffffu;
constexpr unsigned END = 255;  // what stands behind the text
// No word in `words` has more: `find_words` sees to that.
constexpr unsigned LONGEST = 1024;

struct Word {
    unsigned token[LONGEST];
    // The rank of the token at a place with the next one.
    unsigned rank[LONGEST];
    unsigned length;

    __device__ unsigned next_token(unsigned i) const {
        do {
            i++;
        } while (i < length && token[i] == NOTHING);
        return i;
    }

    __device__ unsigned rank_at(const unsigned* merges,
                                unsigned i) const {
        unsigned right = next_token(i);
        return right < length
            ? merge_rank(merges, token[i], token[right])
            : NOTHING;
    }
};

// All lanes of the block meet.
__device__ void meet() {
    if constexpr (WARPS == 1) {
        __syncwarp();
    } else {
        __syncthreads();
    }
}

// The minimum over the lanes of the block.
__device__ unsigned minimum(unsigned own, unsigned* of_warp) {
    unsigned least = __reduce_min_sync(ALL, own);
    if constexpr (WARPS > 1) {
        if (threadIdx.x % 32 == 0) {
            of_warp[threadIdx.x / 32] = least;
        }
        __syncthreads();
        least = of_warp[0];
        for (unsigned w = 1; w < WARPS; w++) {
            least = min(least, of_warp[w]);
        }
        __syncthreads();
    }
    return least;
}

// of_byte has the token of each single byte; words the first
// bytes of the words, and waiting[0] their number.
extern "C" __global__ void __launch_bounds__(LANES)
merge_by_group(const unsigned* __restrict__ text,
               const unsigned* __restrict__ wall,
               const unsigned* __restrict__ merges,
               const unsigned* __restrict__ of_byte,
               const unsigned* __restrict__ words,
               const unsigned* __restrict__ waiting,
               unsigned* __restrict__ ids) {
    __shared__ Word word;
    __shared__ unsigned of_warp[WARPS];
    unsigned lane = threadIdx.x;
    for (unsigned w = blockIdx.x; w < waiting[0];
         w += gridDim.x) {
        unsigned start = words[w];
        if (lane == 0) {
            unsigned end = start + 1;
            while (end < min(unsigned(N), start + LONGEST)
                   && wall[end] == 0 && text[end] != END) {
                end++;
            }
            word.length = end - start;
        }
        meet();
        unsigned bytes = word.length;
        for (unsigned i = lane; i < bytes; i += LANES) {
            word.token[i] = of_byte[text[start + i]];
        }
        meet();
        for (unsigned i = lane; i < bytes; i += LANES) {
            word.rank[i] = word.rank_at(merges, i);
        }
        meet();
        while (true) {
            unsigned own = NOTHING;
            unsigned at = NOTHING;
            for (unsigned i = lane; i < bytes; i += LANES) {
                if (word.rank[i] < own) {
                    own = word.rank[i];
                    at = i;
                }
            }
            unsigned lowest = minimum(own, of_warp);
            if (lowest == NOTHING) {
                break;
            }
            at = own == lowest ? at : NOTHING;
            unsigned best = minimum(at, of_warp);
            if (lane == 0) {
                unsigned right = word.next_token(best);
                word.token[best] = merged(
                    merges, word.token[best],
                    word.token[right]);
                word.token[right] = NOTHING;
                word.rank[right] = NOTHING;
            }
            meet();
            // The first lane looks up the rank of the new token
            // with its right neighbour, the second one that of
            // its left neighbour with it.
            if (lane == 0) {
                word.rank[best] = word.rank_at(merges, best);
            } else if (lane == 1 && best > 0) {
                unsigned left = best - 1;
                while (word.token[left] == NOTHING) {
                    left--;
                }
                word.rank[left] = word.rank_at(merges, left);
            }
            meet();
        }
        for (unsigned i = lane; i < bytes; i += LANES) {
            ids[start + i] = word.token[i];
        }
        meet();
    }
}
