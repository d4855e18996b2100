// Which of two pairs that occur equally often is merged.
// Constant: RULE. 0: the one with the smaller ids; 1: the one
// that is seen first; 2: the one with the greater bytes.
#pragma once
#include "bytes_of.cuh"

struct Ranking {
    const unsigned* merges;
    const unsigned* sizes;

    // -1, 0, 1: the bytes of token a come before those of b,
    // are the same, come behind. The beginning of another comes
    // before.
    __device__ int compared(unsigned a, unsigned b) const {
        unsigned both = min(sizes[a], sizes[b]);
        for (unsigned i = 0; i < both; i++) {
            unsigned own = byte_of(merges, sizes, a, i);
            unsigned other = byte_of(merges, sizes, b, i);
            if (own != other) {
                return own < other ? -1 : 1;
            }
        }
        if (sizes[a] == sizes[b]) {
            return 0;
        }
        return sizes[a] < sizes[b] ? -1 : 1;
    }

    // Whether pair p goes before pair q by the rule. By rule 1
    // the first in the text does: first_place looks for it.
    __device__ bool goes_before(unsigned p, unsigned q) const {
        if (RULE != 2) {
            return p < q;
        }
        int left = compared(p >> 16, q >> 16);
        if (left != 0) {
            return left > 0;
        }
        return compared(p & 0xffff, q & 0xffff) > 0;
    }

    // Which of two wins, each a count and its pair.
    __device__ uint2 winner(uint2 p, uint2 q) const {
        if (p.x > q.x) {
            return p;
        }
        if (p.x == q.x && (p.x == 0 || goes_before(p.y, q.y))) {
            return p;
        }
        return q;
    }
};
