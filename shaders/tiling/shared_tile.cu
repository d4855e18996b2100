// Against `column`: a block copies a tile of A and a tile of B
// to shared memory, and all its threads read them there.
// Each element that is loaded serves TILE threads, so TILE
// times less is asked of global memory.
// Constants: M, N, K, the sizes of the matrices; TILE: a tile
// is TILE x TILE elements, a block TILE x TILE threads.
#include "load.cuh"

extern "C" __global__ void
shared_tile(const float* __restrict__ a,
            const float* __restrict__ b,
            float* __restrict__ c) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned row = blockIdx.y * TILE + y;
    unsigned column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (unsigned k0 = 0; k0 < K; k0 += TILE) {
        tile_a[y][x] = load_a(a, row, k0 + x);
        tile_b[y][x] = load_b(b, k0 + y, column);
        __syncthreads();  // the tiles are complete
        for (unsigned k = 0; k < TILE; k++) {
            sum += tile_a[y][k] * tile_b[k][x];
        }
        __syncthreads();  // nobody reads them any more
    }
    if (row < M && column < N) {
        c[row * N + column] = sum;
    }
}
