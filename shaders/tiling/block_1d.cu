// Against `shared_tile`: each thread computes TM elements of a column of C instead of one.
// What it reads of B serves TM products, and a block of as many threads covers a larger tile of C.
// From outside: M, N, K, the matrices' sizes; BM x BN, a block's tile of C; BK, the columns of A's tile and rows of B's;
// TM, the rows of C that a thread computes.

constexpr unsigned int LANES = BM / TM * BN;

// Beyond the edges stand zeros: they add nothing to a sum.
__device__ float load_a(const float* a, unsigned int row, unsigned int k) {
    return row < M && k < K ? a[row * K + k] : 0.0f;
}

__device__ float load_b(const float* b, unsigned int k, unsigned int column) {
    return k < K && column < N ? b[k * N + column] : 0.0f;
}

extern "C" __global__ void block_1d(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
    __shared__ float tile_a[BM][BK], tile_b[BK][BN];
    unsigned int lane = threadIdx.x;
    unsigned int row0 = blockIdx.y * BM;
    unsigned int column0 = blockIdx.x * BN;
    unsigned int x = lane % BN;         // this thread's column of the tile
    unsigned int y = lane / BN * TM;    // and the first of its rows
    float sums[TM] = {};
    for (unsigned int k0 = 0; k0 < K; k0 += BK) {
        for (unsigned int i = 0; i < BM * BK / LANES; i++) {
            unsigned int e = i * LANES + lane;
            tile_a[e / BK][e % BK] = load_a(a, row0 + e / BK, k0 + e % BK);
        }
        for (unsigned int i = 0; i < BK * BN / LANES; i++) {
            unsigned int e = i * LANES + lane;
            tile_b[e / BN][e % BN] = load_b(b, k0 + e / BN, column0 + e % BN);
        }
        __syncthreads();
        for (unsigned int k = 0; k < BK; k++) {
            float of_b = tile_b[k][x];
            for (unsigned int i = 0; i < TM; i++) {
                sums[i] += tile_a[y + i][k] * of_b;
            }
        }
        __syncthreads();
    }
    for (unsigned int i = 0; i < TM; i++) {
        unsigned int row = row0 + y + i;
        unsigned int column = column0 + x;
        if (row < M && column < N) {
            c[row * N + column] = sums[i];
        }
    }
}
