// A tile of 64 x 64 of one expert's product: rows of `rows`
// times the expert's matrix in `w`. 256 lanes compute 4 x 4
// elements each. Rows from `row_end` on are another expert's.
#pragma once

constexpr unsigned BM = 64;  // rows of a tile
constexpr unsigned BN = 64;  // columns of a tile
constexpr unsigned BK = 16;  // columns of rows, rows of w

__device__ void expert_tile(const float* __restrict__ rows,
                            const float* __restrict__ w,
                            float* __restrict__ result,
                            unsigned expert,
                            unsigned first_row,
                            unsigned row_end,
                            unsigned first_column) {
    __shared__ float tile_a[BM][BK];
    __shared__ float tile_b[BK][BN];
    unsigned lane = threadIdx.x;
    unsigned x = lane % 16;
    unsigned y = lane / 16;
    float sums[4][4] = {};
    for (unsigned k0 = 0; k0 < D; k0 += BK) {
        for (unsigned i = 0; i < 4; i++) {
            unsigned e = i * 256 + lane;
            unsigned row = first_row + e / BK;
            unsigned k = k0 + e % BK;
            float value = 0.0f;
            if (row < row_end && k < D) {
                value = rows[row * D + k];
            }
            tile_a[e / BK][e % BK] = value;
        }
        for (unsigned i = 0; i < 4; i++) {
            unsigned e = i * 256 + lane;
            unsigned k = k0 + e / BN;
            unsigned column = first_column + e % BN;
            float value = 0.0f;
            if (k < D && column < F) {
                value = w[(expert * D + k) * F + column];
            }
            tile_b[e / BN][e % BN] = value;
        }
        __syncthreads();
        for (unsigned k = 0; k < BK; k++) {
            float a_values[4], b_values[4];
            for (unsigned i = 0; i < 4; i++) {
                a_values[i] = tile_a[i * 16 + y][k];
                b_values[i] = tile_b[k][i * 16 + x];
            }
            for (unsigned i = 0; i < 4; i++) {
                for (unsigned j = 0; j < 4; j++) {
                    sums[i][j] += a_values[i] * b_values[j];
                }
            }
        }
        __syncthreads();
    }
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned j = 0; j < 4; j++) {
            unsigned row = first_row + i * 16 + y;
            unsigned column = first_column + j * 16 + x;
            if (row < row_end && column < F) {
                result[row * F + column] = sums[i][j];
            }
        }
    }
}
