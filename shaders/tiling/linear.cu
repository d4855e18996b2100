// Against `shared_tile`: B is stored transposed, column after
// column, as the weight of a linear layer is. Neighbours in a
// column of B are neighbours in memory, and neighbours in a row
// are K elements apart.
// The tiles are loaded as before: a warp loads along rows.
// Constants: M, N, K, the sizes of the matrices; TILE: a tile
// is TILE x TILE elements, a block TILE x TILE threads.

// Elements of A and B. Beyond the edges there are zeros, which
// add nothing to a sum.
__device__ float load_a(const float* a, unsigned row,
                        unsigned k) {
    return row < M && k < K ? a[row * K + k] : 0.0f;
}

// `b` has N rows of K elements: the columns of B.
__device__ float load_b(const float* b, unsigned k,
                        unsigned column) {
    return k < K && column < N ? b[column * K + k] : 0.0f;
}

extern "C" __global__ void
linear(const float* __restrict__ a,
       const float* __restrict__ b, float* __restrict__ c) {
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
