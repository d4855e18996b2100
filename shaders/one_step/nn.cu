// C = A B: A has M rows of K, B has K rows of N.
// Forward: a row of activations times a matrix of weights.
// Constants: C has M rows and N columns, and K products are
// summed; A_AT, A_EACH and A_HELD: where A begins, elements of a
// layer, layers that there are; those of B and C; PER, rows and
// columns of C that a thread has.
#include "tile.cuh"

// Neighbouring threads load neighbours in memory.
__device__ void fill(const float* a, const float* b,
                     unsigned row0, unsigned column0,
                     unsigned k0) {
    for (unsigned e = threadIdx.x; e < 16 * SIDE; e += 256) {
        unsigned a_k = k0 + e % 16;
        unsigned a_row = row0 + e / 16;
        float a_value = 0.0f;
        if (a_k < K && a_row < M) {
            a_value = a[a_row * K + a_k];
        }
        tile_a[e % 16][e / 16] = a_value;
        unsigned b_k = k0 + e / SIDE;
        unsigned b_column = column0 + e % SIDE;
        float b_value = 0.0f;
        if (b_k < K && b_column < N) {
            b_value = b[b_k * N + b_column];
        }
        tile_b[e / SIDE][e % SIDE] = b_value;
    }
}

extern "C" __global__ void __launch_bounds__(256)
nn(const unsigned* __restrict__ layer,
   const float* __restrict__ a, const float* __restrict__ b,
   float* __restrict__ c) {
    multiply(layer, a, b, c);
}
