// The products of all experts by one launch: `persistent`, with
// tiles from a list instead of a whole matrix.
// Constants: K, columns of rows and rows of an expert's matrix;
// N, the columns of the result; both are multiples of 8.
// STRIDE, the numbers in starts per expert. Everything is
// row-major, in bf16; sums are in f32.
// Tensor maps, in boxes of rows x columns swizzled over 128
// bytes: a_map, of the rows in 128 x 64; b_map, of the experts'
// matrices in 64 x 64; c_map, of the result in 64 x 64.
#include "expert_ring.cuh"

extern "C" __global__ void
__launch_bounds__(128 * (1 + CONSUMERS), 1)
experts(const bf16*, const unsigned* starts,
        const unsigned* tiles, const unsigned* groups,
        const bf16*, bf16* result,
        const __grid_constant__ TensorMap a_map,
        const __grid_constant__ TensorMap b_map,
        const __grid_constant__ TensorMap c_map) {
    multiply_experts<4, 128>(starts, tiles, groups, result,
                             a_map, b_map, c_map,
                             [](float (&)[128]) {});
}
