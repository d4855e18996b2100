// Before attention's backward: rowsum(dO∘O) for each row, and
// zeros where dQ will be summed. A warp has a row.
// Constants: BATCH, HEADS, KV_HEADS, S, D (64 or 128).
// o, o_gradient: BATCH x HEADS x S x D, in bf16; lse: BATCH x
// HEADS x S. stats: 128 for each 64 rows of a head, see
// backward.cuh; sums: 64 x D for each 64 rows.
#include "backward.cuh"
using bf16 = unsigned short;  // its 16 bits

__device__ float lower(unsigned pair) {
    return __uint_as_float(pair << 16);
}
__device__ float upper(unsigned pair) {
    return __uint_as_float(pair & 0xffff0000);
}

extern "C" __global__ void __launch_bounds__(256)
flash_backward_before(const bf16* __restrict__ o,
                      const bf16* __restrict__ o_gradient,
                      const float* __restrict__ lse,
                      float* __restrict__ stats,
                      float* __restrict__ sums) {
    unsigned lane = threadIdx.x % 32;
    unsigned head = blockIdx.y;
    unsigned row = blockIdx.x * 8 + threadIdx.x / 32;
    // A row's part of the sums, whichever they are.
    unsigned long long padded =
        (unsigned long long)head * Q_TILES * BQ + row;
    if (row >= Q_TILES * BQ) return;
    constexpr unsigned EACH = D / 32;
    float* zeros = sums + padded * D + lane * EACH;
    float dot = 0;
    if constexpr (EACH == 4) {
        *(float4*)zeros = make_float4(0, 0, 0, 0);
    } else {
        *(float2*)zeros = make_float2(0, 0);
    }
    if (row < S) {
        unsigned long long at =
            ((unsigned long long)head * S + row) * D
            + lane * EACH;
        #pragma unroll
        for (unsigned i = 0; i < EACH; i += 2) {
            unsigned a = *(const unsigned*)(o + at + i);
            unsigned b = *(const unsigned*)(o_gradient + at + i);
            dot += lower(a) * lower(b) + upper(a) * upper(b);
        }
    }
    #pragma unroll
    for (unsigned step = 16; step > 0; step /= 2) {
        dot += __shfl_xor_sync(0xffffffff, dot, step);
    }
    if (lane == 0) {
        float* to = stats
                    + ((unsigned long long)head * Q_TILES
                       + row / BQ) * STATS + row % BQ;
        // Rows that do not exist get powers of 2 to the -∞.
        to[0] = row < S ? lse[head * S + row] * LOG2_E
                        : INFINITE;
        to[BQ] = dot;
    }
}
