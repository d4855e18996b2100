// All experts' products by one launch whose grid fits the worst
// case: every expert has as many rows of blocks as if all rows
// were its own. Those past its last row return at once.
// Constants: D, columns of rows and rows of a matrix; F, the
// columns of a matrix. `w` has each expert's matrix of D x F,
// one after the other.
#include "expert_tile.cuh"

extern "C" __global__ void __launch_bounds__(256)
product_padded(const float* __restrict__ rows,
               const unsigned* __restrict__ starts,
               const float* __restrict__ w,
               float* __restrict__ result) {
    unsigned expert = blockIdx.z;
    unsigned row_end = starts[expert + 1];
    unsigned first_row = starts[expert] + blockIdx.y * BM;
    if (first_row >= row_end) {
        return;
    }
    expert_tile(rows, w, result, expert, first_row, row_end,
                blockIdx.x * BN);
}
