// After attention's backward: dQ from its sums, as bf16. A
// block has a tile of 64 rows.
// Constants: BATCH, HEADS, KV_HEADS, S, D (64 or 128).
// sums: 64 x D for each 64 rows of a head, in the order of
// backward.cuh; q_gradient: BATCH x HEADS x S x D, in bf16.
#include "backward.cuh"
#include "rows.cuh"

extern "C" __global__ void __launch_bounds__(128)
flash_backward_after(const float* __restrict__ sums,
                     bf16* __restrict__ q_gradient) {
    unsigned head = blockIdx.y, tile = blockIdx.x;
    const float* from =
        sums + ((unsigned long long)head * Q_TILES + tile)
                   * 2 * DQ_HALF;
    // As after a product: all columns of two rows.
    float own[D / 2];
    #pragma unroll
    for (unsigned j = 0; j < D / 8; j++) {
        float4 four = *(const float4*)(
            from + (j * 128 + threadIdx.x) * 4);
        own[4 * j] = four.x;
        own[4 * j + 1] = four.y;
        own[4 * j + 2] = four.z;
        own[4 * j + 3] = four.w;
    }
    #pragma unroll
    for (unsigned h = 0; h < 2; h++) {
        unsigned row = tile * BQ + threadIdx.x / 32 * 16
                       + threadIdx.x % 32 / 4 + 8 * h;
        store_row(q_gradient
                      + ((unsigned long long)head * S + row) * D,
                  own + 2 * h, ROOT, row < S);
    }
}
