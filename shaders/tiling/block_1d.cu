// Against `shared_tile`: each thread computes TM elements of a
// column of C instead of one.
// What it reads of B serves TM products, and a block of as many
// threads covers a larger tile of C.
// Constants: M, N, K, the sizes of the matrices; BM x BN, a
// block's tile of C; BK, the columns of A's tile and rows of
// B's; TM, the rows of C that a thread computes.
#include "load.cuh"

constexpr unsigned LANES = BM / TM * BN;

extern "C" __global__ void
block_1d(const float* __restrict__ a,
         const float* __restrict__ b, float* __restrict__ c) {
    __shared__ float tile_a[BM][BK], tile_b[BK][BN];
    unsigned lane = threadIdx.x;
    unsigned row0 = blockIdx.y * BM;
    unsigned column0 = blockIdx.x * BN;
    unsigned x = lane % BN;       // its column of the tile
    unsigned y = lane / BN * TM;  // and the first of its rows
    float sums[TM] = {};
    for (unsigned k0 = 0; k0 < K; k0 += BK) {
        for (unsigned i = 0; i < BM * BK / LANES; i++) {
            unsigned e = i * LANES + lane;
            tile_a[e / BK][e % BK] =
                load_a(a, row0 + e / BK, k0 + e % BK);
        }
        for (unsigned i = 0; i < BK * BN / LANES; i++) {
            unsigned e = i * LANES + lane;
            tile_b[e / BN][e % BN] =
                load_b(b, k0 + e / BN, column0 + e % BN);
        }
        __syncthreads();
        for (unsigned k = 0; k < BK; k++) {
            float b_value = tile_b[k][x];
            for (unsigned i = 0; i < TM; i++) {
                sums[i] += tile_a[y + i][k] * b_value;
            }
        }
        __syncthreads();
    }
    for (unsigned i = 0; i < TM; i++) {
        unsigned row = row0 + y + i;
        unsigned column = column0 + x;
        if (row < M && column < N) {
            c[row * N + column] = sums[i];
        }
    }
}
