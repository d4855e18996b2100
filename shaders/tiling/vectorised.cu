// Against `block_2d`: what was moved one element at a time is moved four at a time.
// To read four rows of A at once, they have to be neighbours: A's tile is turned on its way to shared memory.
// From outside: M, N, K, the matrices' sizes; BM x BN, a block's tile of C; BK, the columns of A's tile and rows of B's;
// TM x TN, the elements of C that a thread computes.

constexpr unsigned int DOWN = BM / TM;      // threads that stand below each other
constexpr unsigned int ACROSS = BN / TN;    // threads that stand side by side
constexpr unsigned int LANES = DOWN * ACROSS;

constexpr unsigned int BLOCKS = BM * BK / 16;                         // what A's tile is moved in: blocks of 4 x 4
constexpr unsigned int BLOCKS_EACH = (BLOCKS + LANES - 1) / LANES;    // a thread moves so many at most
constexpr unsigned int VECTORS = BK * BN / 4;                         // and B's tile: vectors of 4
constexpr unsigned int VECTORS_EACH = (VECTORS + LANES - 1) / LANES;

// Four elements of a row of A. Beyond the edges stand zeros: they add nothing to a sum. Where the tiles divide the matrix there
// are no edges, and no thread asks.
__device__ float4 load_a(const float* a, unsigned int row, unsigned int k) {
    const float* at = a + row * K + k;
    if (K % 4 == 0) {
        return (M % BM == 0 && K % BK == 0) || (row < M && k < K) ? *(const float4*)at : float4{};
    }    // rows begin anywhere in a vector: one element after the other
    return {row < M && k < K ? at[0] : 0.0f, row < M && k + 1 < K ? at[1] : 0.0f,
            row < M && k + 2 < K ? at[2] : 0.0f, row < M && k + 3 < K ? at[3] : 0.0f};
}

__device__ float4 load_b(const float* b, unsigned int k, unsigned int column) {
    const float* at = b + k * N + column;
    if (N % 4 == 0) {
        return (N % BN == 0 && K % BK == 0) || (k < K && column < N) ? *(const float4*)at : float4{};
    }
    return {k < K && column < N ? at[0] : 0.0f, k < K && column + 1 < N ? at[1] : 0.0f,
            k < K && column + 2 < N ? at[2] : 0.0f, k < K && column + 3 < N ? at[3] : 0.0f};
}

__device__ void transpose(float4 (&m)[4]) {
    float4 r0 = m[0], r1 = m[1], r2 = m[2], r3 = m[3];
    m[0] = {r0.x, r1.x, r2.x, r3.x};
    m[1] = {r0.y, r1.y, r2.y, r3.y};
    m[2] = {r0.z, r1.z, r2.z, r3.z};
    m[3] = {r0.w, r1.w, r2.w, r3.w};
}

__device__ void add_product(float4& sum, float of_a, float4 of_b) {
    sum.x += of_a * of_b.x;
    sum.y += of_a * of_b.y;
    sum.z += of_a * of_b.z;
    sum.w += of_a * of_b.w;
}

// Adds all products of four elements of a column of A with four of a row of B.
__device__ void add_outer(float4 (&sums)[4], float4 of_a, float4 of_b) {
    add_product(sums[0], of_a.x, of_b);
    add_product(sums[1], of_a.y, of_b);
    add_product(sums[2], of_a.z, of_b);
    add_product(sums[3], of_a.w, of_b);
}

extern "C" __global__ void __launch_bounds__(LANES)
vectorised(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
    __shared__ float4 tile_a[BK][BM / 4];    // turned: its rows run along A's columns
    __shared__ float4 tile_b[BK][BN / 4];
    // This thread's part of the next tiles, on its way from global to shared memory.
    float4 next_a[BLOCKS_EACH][4], next_b[VECTORS_EACH];
    unsigned int lane = threadIdx.x;
    unsigned int row0 = blockIdx.y * BM;
    unsigned int column0 = blockIdx.x * BN;
    unsigned int x = lane % ACROSS;
    unsigned int y = lane / ACROSS;
    float4 sums[TM / 4][TN / 4][4] = {};    // each of 4 x 4 elements of C
    // Loads this thread's part of the tiles at k0.
    auto fetch = [&](unsigned int k0) {
        for (unsigned int i = 0; i < BLOCKS_EACH; i++) {
            unsigned int e = i * LANES + lane;
            unsigned int row = row0 + e / (BK / 4) * 4;
            unsigned int k = k0 + e % (BK / 4) * 4;
            if (BLOCKS % LANES == 0 || e < BLOCKS) {
                for (unsigned int r = 0; r < 4; r++) next_a[i][r] = load_a(a, row + r, k);
            }
        }
        for (unsigned int i = 0; i < VECTORS_EACH; i++) {
            unsigned int e = i * LANES + lane;
            if (VECTORS % LANES == 0 || e < VECTORS) {
                next_b[i] = load_b(b, k0 + e / (BN / 4), column0 + e % (BN / 4) * 4);
            }
        }
    };
    // Stores it to the tiles. Four rows of A, turned, are four rows of the tile.
    auto put = [&]() {
        for (unsigned int i = 0; i < BLOCKS_EACH; i++) {
            unsigned int e = i * LANES + lane;
            unsigned int row = e / (BK / 4) * 4;
            unsigned int k = e % (BK / 4) * 4;
            if (BLOCKS % LANES == 0 || e < BLOCKS) {
                transpose(next_a[i]);
                for (unsigned int r = 0; r < 4; r++) tile_a[k + r][row / 4] = next_a[i][r];
            }
        }
        for (unsigned int i = 0; i < VECTORS_EACH; i++) {
            unsigned int e = i * LANES + lane;
            if (VECTORS % LANES == 0 || e < VECTORS) {
                tile_b[e / (BN / 4)][e % (BN / 4)] = next_b[i];
            }
        }
    };
    for (unsigned int k0 = 0; k0 < K; k0 += BK) {
        fetch(k0);
        put();
        __syncthreads();
#pragma unroll
        for (unsigned int k = 0; k < BK; k++) {
            float4 of_a[TM / 4], of_b[TN / 4];
            for (unsigned int i = 0; i < TM / 4; i++) of_a[i] = tile_a[k][i * DOWN + y];
            for (unsigned int j = 0; j < TN / 4; j++) of_b[j] = tile_b[k][j * ACROSS + x];
            for (unsigned int i = 0; i < TM / 4; i++) {
                for (unsigned int j = 0; j < TN / 4; j++) {
                    add_outer(sums[i][j], of_a[i], of_b[j]);
                }
            }
        }
        __syncthreads();
    }
    for (unsigned int i = 0; i < TM; i++) {
        for (unsigned int j = 0; j < TN / 4; j++) {
            unsigned int row = row0 + (i / 4 * DOWN + y) * 4 + i % 4;
            unsigned int column = column0 + (j * ACROSS + x) * 4;
            float4 sum = sums[i / 4][j][i % 4];
            if (row < M && column < N) c[row * N + column] = sum.x;
            if (row < M && column + 1 < N) c[row * N + column + 1] = sum.y;
            if (row < M && column + 2 < N) c[row * N + column + 2] = sum.z;
            if (row < M && column + 3 < N) c[row * N + column + 3] = sum.w;
        }
    }
}
