// Against `shared_tile`: SPLIT blocks share a tile of C.
// Each adds up its own part of the depth, and stores the sums
// in a matrix of its own in `parts`. `add_parts` adds these up.
// Constants: M, N, K, the sizes of the matrices; SPLIT, the
// blocks for each tile of C; TILE: a tile is TILE x TILE
// elements, a block TILE x TILE threads.
#include "load.cuh"

extern "C" __global__ void
split_k(const float* __restrict__ a,
        const float* __restrict__ b,
        float* __restrict__ parts) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned row = blockIdx.y * TILE + y;
    unsigned column = blockIdx.x * TILE + x;
    // Its part of the depth, in whole tiles. The parts differ
    // by one tile at most, and may be empty.
    unsigned steps = (K + TILE - 1) / TILE;
    unsigned first = blockIdx.z * steps / SPLIT * TILE;
    unsigned end = (blockIdx.z + 1) * steps / SPLIT * TILE;
    float sum = 0.0f;
    for (unsigned k0 = first; k0 < end; k0 += TILE) {
        tile_a[y][x] = load_a(a, row, k0 + x);
        tile_b[y][x] = load_b(b, k0 + y, column);
        __syncthreads();  // the tiles are complete
        for (unsigned k = 0; k < TILE; k++) {
            sum += tile_a[y][k] * tile_b[k][x];
        }
        __syncthreads();  // nobody reads them any more
    }
    if (row < M && column < N) {
        parts[(blockIdx.z * M + row) * N + column] = sum;
    }
}
