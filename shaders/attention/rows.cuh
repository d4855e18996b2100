// Rows of sums on their way to memory. The tensor cores deal
// sums out so that four lanes share a row: of each 8 columns a
// lane has two neighbours.
#pragma once
#include "wgmma.cuh"

// Of four lanes, the one at i gets the i-th word of each.
__device__ __forceinline__ void exchange(unsigned (&own)[4]) {
    #pragma unroll
    for (unsigned bit = 1; bit < 4; bit *= 2) {
        bool is_upper = threadIdx.x & bit;
        #pragma unroll
        for (unsigned i = 0; i < 4; i++) {
            if (i & bit) continue;
            unsigned given = is_upper ? own[i] : own[i + bit];
            unsigned got =
                __shfl_xor_sync(0xffffffff, given, bit);
            if (is_upper) {
                own[i] = got;
            } else {
                own[i + bit] = got;
            }
        }
    }
}

// A row of D sums, times a factor, as bf16. A lane's are
// sums[0], sums[1], sums[4], sums[5], sums[8] and so on; after
// an exchange it has 8 neighbours, 16 bytes.
__device__ __forceinline__ void store_row(bf16* to,
                                          const float* sums,
                                          float factor,
                                          bool is_inside) {
    unsigned lane = threadIdx.x % 4;
    #pragma unroll
    for (unsigned j = 0; j < D; j += 32) {
        unsigned own[4];
        #pragma unroll
        for (unsigned i = 0; i < 4; i++) {
            const float* pair = sums + j / 2 + 4 * i;
            own[i] = pack_bf16(pair[0] * factor,
                               pair[1] * factor);
        }
        exchange(own);
        if (is_inside) {
            *(uint4*)(to + j + 8 * lane) =
                make_uint4(own[0], own[1], own[2], own[3]);
        }
    }
}
