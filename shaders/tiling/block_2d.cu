// Against `block_1d`: each thread computes TM x TN elements of
// C instead of TM x 1.
// TM numbers of A and TN of B, once in registers, make TM x TN
// products. Neighbouring threads still take neighbouring
// columns: a thread's own columns are ACROSS apart, and its
// rows DOWN apart.
// The compiler is told to unroll the loops over them and how
// many threads a block has, so that sums stay in registers.
// Constants: M, N, K, the sizes of the matrices; BM x BN, a
// block's tile of C; BK, the columns of A's tile and rows of
// B's; TM x TN, the elements of C that a thread computes.
#include "load.cuh"

// Threads below each other, and side by side.
constexpr unsigned DOWN = BM / TM;
constexpr unsigned ACROSS = BN / TN;
constexpr unsigned LANES = DOWN * ACROSS;

extern "C" __global__ void __launch_bounds__(LANES)
block_2d(const float* __restrict__ a,
         const float* __restrict__ b, float* __restrict__ c) {
    __shared__ float tile_a[BM][BK], tile_b[BK][BN];
    unsigned lane = threadIdx.x;
    unsigned row0 = blockIdx.y * BM;
    unsigned column0 = blockIdx.x * BN;
    unsigned x = lane % ACROSS;
    unsigned y = lane / ACROSS;
    float sums[TM][TN] = {};
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
        #pragma unroll
        for (unsigned k = 0; k < BK; k++) {
            float a_values[TM], b_values[TN];
            for (unsigned i = 0; i < TM; i++) {
                a_values[i] = tile_a[i * DOWN + y][k];
            }
            for (unsigned j = 0; j < TN; j++) {
                b_values[j] = tile_b[k][j * ACROSS + x];
            }
            for (unsigned i = 0; i < TM; i++) {
                for (unsigned j = 0; j < TN; j++) {
                    sums[i][j] += a_values[i] * b_values[j];
                }
            }
        }
        __syncthreads();
    }
    for (unsigned i = 0; i < TM; i++) {
        for (unsigned j = 0; j < TN; j++) {
            unsigned row = row0 + i * DOWN + y;
            unsigned column = column0 + j * ACROSS + x;
            if (row < M && column < N) {
                c[row * N + column] = sums[i][j];
            }
        }
    }
}
