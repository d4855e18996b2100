// Against `swizzled`: there are two pairs of tiles. While one
// is multiplied, the next one is on its way from global memory.
// One barrier for each tile is enough: what is stored is not
// what is read.
// Constants: M, N, K, the sizes of the matrices; BM x BN, a
// block's tile of C; BK, the columns of A's tile and rows of
// B's; TM x TN, the elements of C that a thread computes.
#include "vectors.cuh"
#include "swizzle.cuh"

extern "C" __global__ void __launch_bounds__(LANES)
double_buffered(const float* __restrict__ a,
                const float* __restrict__ b,
                float* __restrict__ c) {
    // Two of each: one is read while the other is filled. A's
    // are transposed: their rows run along A's columns.
    __shared__ float4 tile_a[2][BK][BM / 4];
    __shared__ float4 tile_b[2][BK][BN / 4];
    // What this thread fetched of the next tiles, on its way
    // from global to shared memory.
    float4 next_a[BLOCKS_EACH][4], next_b[VECTORS_EACH];
    unsigned lane = threadIdx.x;
    unsigned row0 = blockIdx.y * BM;
    unsigned column0 = blockIdx.x * BN;
    unsigned x = lane % ACROSS;
    unsigned y = lane / ACROSS;
    // Each of 4 x 4 elements of C.
    float4 sums[TM / 4][TN / 4][4] = {};
    // Loads what this thread moves of the tiles at k0.
    auto fetch = [&](unsigned k0) {
        for (unsigned i = 0; i < BLOCKS_EACH; i++) {
            unsigned e = i * LANES + lane;
            unsigned row = row0 + e / (BK / 4) * 4;
            unsigned k = k0 + e % (BK / 4) * 4;
            if (BLOCKS % LANES == 0 || e < BLOCKS) {
                for (unsigned r = 0; r < 4; r++) {
                    next_a[i][r] = load_a(a, row + r, k);
                }
            }
        }
        for (unsigned i = 0; i < VECTORS_EACH; i++) {
            unsigned e = i * LANES + lane;
            unsigned k = k0 + e / (BN / 4);
            if (VECTORS % LANES == 0 || e < VECTORS) {
                next_b[i] =
                    load_b(b, k, column0 + e % (BN / 4) * 4);
            }
        }
    };
    // Stores it to the tiles. Four rows of A, transposed, are
    // four rows of the tile.
    auto store_tiles = [&](unsigned pair) {
        for (unsigned i = 0; i < BLOCKS_EACH; i++) {
            unsigned e = i * LANES + lane;
            unsigned row = e / (BK / 4) * 4;
            unsigned k = e % (BK / 4) * 4;
            if (BLOCKS % LANES == 0 || e < BLOCKS) {
                transpose(next_a[i]);
                for (unsigned r = 0; r < 4; r++) {
                    tile_a[pair][k + r][slot(k, row)] =
                        next_a[i][r];
                }
            }
        }
        for (unsigned i = 0; i < VECTORS_EACH; i++) {
            unsigned e = i * LANES + lane;
            unsigned k = e / (BN / 4);
            if (VECTORS % LANES == 0 || e < VECTORS) {
                tile_b[pair][k][e % (BN / 4)] = next_b[i];
            }
        }
    };
    fetch(0);
    store_tiles(0);
    __syncthreads();
    unsigned pair = 0;
    for (unsigned k0 = 0; k0 < K; k0 += BK) {
        if (k0 + BK < K) {
            fetch(k0 + BK);  // nobody waits for these yet
        }
        #pragma unroll
        for (unsigned k = 0; k < BK; k++) {
            float4 a_values[TM / 4], b_values[TN / 4];
            for (unsigned i = 0; i < TM / 4; i++) {
                unsigned row = (i * DOWN + y) * 4;
                a_values[i] = tile_a[pair][k][slot(k, row)];
            }
            for (unsigned j = 0; j < TN / 4; j++) {
                b_values[j] = tile_b[pair][k][j * ACROSS + x];
            }
            for (unsigned i = 0; i < TM / 4; i++) {
                for (unsigned j = 0; j < TN / 4; j++) {
                    add_outer(sums[i][j], a_values[i],
                              b_values[j]);
                }
            }
        }
        pair = 1 - pair;
        // After the last tiles, this stores what nobody reads.
        store_tiles(pair);
        __syncthreads();
    }
    for (unsigned i = 0; i < TM; i++) {
        for (unsigned j = 0; j < TN / 4; j++) {
            unsigned row =
                row0 + (i / 4 * DOWN + y) * 4 + i % 4;
            unsigned column = column0 + (j * ACROSS + x) * 4;
            store_row(c, row, column, sums[i / 4][j][i % 4]);
        }
    }
}
