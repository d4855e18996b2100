// The product of one expert, whose number stands in `turn`: a
// step of a loop over the experts.
// Constants: D, columns of rows and rows of a matrix; F, the
// columns of a matrix. `w` has each expert's matrix of D x F,
// one after the other.
#include "expert_tile.cuh"

extern "C" __global__ void __launch_bounds__(256)
product_one(const float* __restrict__ rows,
            const unsigned* __restrict__ starts,
            const unsigned* __restrict__ turn,
            const float* __restrict__ w,
            float* __restrict__ result) {
    unsigned expert = turn[0];
    unsigned row_end = starts[expert + 1];
    unsigned first_row = starts[expert] + blockIdx.y * BM;
    if (first_row >= row_end) {
        return;
    }
    expert_tile(rows, w, result, expert, first_row, row_end,
                blockIdx.x * BN);
}
