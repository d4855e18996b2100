// The tiled product that `nn`, `nt` and `tn` share. A block of
// 16 x 16 threads has a tile of C with SIDE rows and columns,
// and a thread PER x PER of its elements, 16 apart. It takes 16
// columns of A and rows of B at a time: `fill` copies them.
#pragma once

constexpr unsigned SIDE = 16 * PER;

// By k, then by row of A or column of B. Two more elements keep
// threads that write along k out of each other's banks.
__shared__ float tile_a[16][SIDE + 2];
__shared__ float tile_b[16][SIDE + 2];

// Each kernel has its own.
__device__ void fill(const float* a, const float* b,
                     unsigned row0, unsigned column0,
                     unsigned k0);

// Where an operand begins: some buffers have all layers.
__device__ unsigned begin(const unsigned* layer, unsigned at,
                          unsigned each, unsigned held) {
    return at + layer[0] % held * each;
}

__device__ void multiply(const unsigned* layer, const float* a,
                         const float* b, float* c) {
    a += begin(layer, A_AT, A_EACH, A_HELD);
    b += begin(layer, B_AT, B_EACH, B_HELD);
    c += begin(layer, C_AT, C_EACH, C_HELD);
    unsigned x = threadIdx.x % 16;
    unsigned y = threadIdx.x / 16;
    unsigned row0 = blockIdx.y * SIDE;
    unsigned column0 = blockIdx.x * SIDE;
    float sums[PER][PER] = {};
    for (unsigned k0 = 0; k0 < K; k0 += 16) {
        fill(a, b, row0, column0, k0);
        __syncthreads();  // the tiles are complete
        // Beyond K there are zeros, which add nothing.
        #pragma unroll
        for (unsigned k = 0; k < 16; k++) {
            #pragma unroll
            for (unsigned i = 0; i < PER; i++) {
                float a_value = tile_a[k][y + 16 * i];
                #pragma unroll
                for (unsigned j = 0; j < PER; j++) {
                    sums[i][j] += a_value * tile_b[k][x + 16 * j];
                }
            }
        }
        __syncthreads();  // nobody reads them any more
    }
    #pragma unroll
    for (unsigned i = 0; i < PER; i++) {
        #pragma unroll
        for (unsigned j = 0; j < PER; j++) {
            unsigned row = row0 + y + 16 * i;
            unsigned column = column0 + x + 16 * j;
            if (row < M && column < N) {
                c[row * N + column] = sums[i][j];
            }
        }
    }
}
