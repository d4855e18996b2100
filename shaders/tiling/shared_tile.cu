// Against `column`: a block copies a tile of A and a tile of B to shared memory, and all its threads read them there.
// Each element that is loaded serves TILE threads, so global memory is asked for TILE times less.
// From outside: M, N, K, the matrices' sizes; TILE: a tile is TILE x TILE elements, and a block TILE x TILE threads.

// Beyond the edges stand zeros: they add nothing to a sum.
__device__ float load_a(const float* a, unsigned int row, unsigned int k) {
    return row < M && k < K ? a[row * K + k] : 0.0f;
}

__device__ float load_b(const float* b, unsigned int k, unsigned int column) {
    return k < K && column < N ? b[k * N + column] : 0.0f;
}

extern "C" __global__ void shared_tile(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    unsigned int x = threadIdx.x, y = threadIdx.y;
    unsigned int row = blockIdx.y * TILE + y;
    unsigned int column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (unsigned int k0 = 0; k0 < K; k0 += TILE) {
        tile_a[y][x] = load_a(a, row, k0 + x);
        tile_b[y][x] = load_b(b, k0 + y, column);
        __syncthreads();    // the tiles are complete
        for (unsigned int k = 0; k < TILE; k++) {
            sum += tile_a[y][k] * tile_b[k][x];
        }
        __syncthreads();    // nobody reads them any more
    }
    if (row < M && column < N) {
        c[row * N + column] = sum;
    }
}
