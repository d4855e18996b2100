// A warp computes 16 x 16 elements of C: for each 16 of k, it loads a fragment of A and one of B, and multiplies them at once.
// The factors come straight from global memory, without tiles and barriers. They are f16, sums f32.
// From outside: N, K, the matrices' sizes, multiples of 16.

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

// Fragments: their elements are spread over the registers of 32 threads.
using OfA = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using OfB = wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major>;
using OfC = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

extern "C" __global__ void __launch_bounds__(32)
fragment(const half* __restrict__ a, const half* __restrict__ b, float* __restrict__ c) {
    unsigned int row = blockIdx.y * 16;
    unsigned int column = blockIdx.x * 16;
    OfC sum;
    wmma::fill_fragment(sum, 0.0f);
    for (unsigned int k = 0; k < K; k += 16) {
        OfA of_a;
        OfB of_b;
        wmma::load_matrix_sync(of_a, a + row * K + k, K);
        wmma::load_matrix_sync(of_b, b + k * N + column, N);
        wmma::mma_sync(sum, of_a, of_b, sum);
    }
    wmma::store_matrix_sync(c + row * N + column, sum, N, wmma::mem_row_major);
}
