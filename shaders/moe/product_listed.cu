// Against `product_padded`: only as many blocks are launched as
// there are tiles; each looks its tile up.
// Constants: D, columns of rows and rows of a matrix; F, the
// columns of a matrix; STRIDE, the numbers in starts per
// expert. `w` has each expert's matrix of D x F, one after the
// other.
#include "expert_tile.cuh"

extern "C" __global__ void __launch_bounds__(256)
product_listed(const float* __restrict__ rows,
               const unsigned* __restrict__ starts,
               const unsigned* __restrict__ tiles,
               const float* __restrict__ w,
               float* __restrict__ result) {
    unsigned expert = tiles[2 * blockIdx.y];
    unsigned first_row = tiles[2 * blockIdx.y + 1];
    unsigned row_end = starts[(expert + 1) * STRIDE];
    expert_tile(rows, w, result, expert, first_row, row_end,
                blockIdx.x * BN);
}
