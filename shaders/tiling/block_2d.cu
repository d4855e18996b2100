// Against `block_1d`: each thread computes TM x TN elements of C instead of TM x 1.
// TM numbers of A and TN of B, once in registers, make TM x TN products. Neighbouring threads still take neighbouring columns:
// a thread's own columns are ACROSS apart, and its rows DOWN apart.
// The compiler is told to unroll the loops over them and how many threads a block has, so that the sums stay in registers.
// From outside: M, N, K, the matrices' sizes; BM x BN, a block's tile of C; BK, the columns of A's tile and rows of B's;
// TM x TN, the elements of C that a thread computes.

constexpr unsigned int DOWN = BM / TM;      // threads that stand below each other
constexpr unsigned int ACROSS = BN / TN;    // threads that stand side by side
constexpr unsigned int LANES = DOWN * ACROSS;

// Beyond the edges stand zeros: they add nothing to a sum.
__device__ float load_a(const float* a, unsigned int row, unsigned int k) {
    return row < M && k < K ? a[row * K + k] : 0.0f;
}

__device__ float load_b(const float* b, unsigned int k, unsigned int column) {
    return k < K && column < N ? b[k * N + column] : 0.0f;
}

extern "C" __global__ void __launch_bounds__(LANES)
block_2d(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
    __shared__ float tile_a[BM][BK], tile_b[BK][BN];
    unsigned int lane = threadIdx.x;
    unsigned int row0 = blockIdx.y * BM;
    unsigned int column0 = blockIdx.x * BN;
    unsigned int x = lane % ACROSS;
    unsigned int y = lane / ACROSS;
    float sums[TM][TN] = {};
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
#pragma unroll
        for (unsigned int k = 0; k < BK; k++) {
            float of_a[TM], of_b[TN];
            for (unsigned int i = 0; i < TM; i++) of_a[i] = tile_a[i * DOWN + y][k];
            for (unsigned int j = 0; j < TN; j++) of_b[j] = tile_b[k][j * ACROSS + x];
            for (unsigned int i = 0; i < TM; i++) {
                for (unsigned int j = 0; j < TN; j++) {
                    sums[i][j] += of_a[i] * of_b[j];
                }
            }
        }
        __syncthreads();
    }
    for (unsigned int i = 0; i < TM; i++) {
        for (unsigned int j = 0; j < TN; j++) {
            unsigned int row = row0 + i * DOWN + y;
            unsigned int column = column0 + j * ACROSS + x;
            if (row < M && column < N) {
                c[row * N + column] = sums[i][j];
            }
        }
    }
}
