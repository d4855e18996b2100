// Against `experts`: the product by which an expert begins. Its
// matrix has the gates' columns first, and as many columns that
// they let pass. A tile has 128 of each, so that a lane holds
// both sums of an element, and stores gate / (1 + exp(-gate))
// times the other: half the columns, and no kernel between.
// Constants: K, columns of rows and rows of an expert's matrix;
// N, the columns of that matrix; K and N / 2 are multiples of
// 8.
// STRIDE, the numbers in starts per expert. Everything is
// row-major, in bf16; sums are in f32.
// Tensor maps, in boxes of rows x columns swizzled over 128
// bytes: a_map, of the rows in 128 x 64; b_map, of the experts'
// matrices in 64 x 64; c_map, of the result in 64 x 64.
#include "expert_ring.cuh"

extern "C" __global__ void
__launch_bounds__(128 * (1 + CONSUMERS), 1)
experts_swiglu(const bf16*, const unsigned* starts,
               const unsigned* tiles, const unsigned* groups,
               const bf16*, bf16* result,
               const __grid_constant__ TensorMap a_map,
               const __grid_constant__ TensorMap b_map,
               const __grid_constant__ TensorMap c_map) {
    auto swiglu = [](float (&sums)[128]) {
        #pragma unroll
        for (unsigned j = 0; j < 64; j++) {
            // The hardware's approximations.
            float one = 1.0f + __expf(-sums[j]);
            sums[j] = __fdividef(sums[j], one) * sums[64 + j];
        }
    };
    multiply_experts<2, N / 2>(starts, tiles, groups, result,
                               a_map, b_map, c_map, swiglu);
}
