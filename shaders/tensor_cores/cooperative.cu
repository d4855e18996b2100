// Against `double_buffered`: warps multiply fragments of 16 x 16 elements on tensor cores. Factors are f16, sums f32.
// From outside: M, N, K, the matrices' sizes.

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr unsigned int BM = 128;           // a block's tile of C has BM rows
constexpr unsigned int BN = 128;           // and BN columns
constexpr unsigned int BK = 32;            // columns of A's tile, rows of B's
constexpr unsigned int DOWN = BM / 64;     // warps below each other: each computes 64 x 64 elements of C
constexpr unsigned int ACROSS = BN / 64;   // and side by side
constexpr unsigned int LANES = 32 * DOWN * ACROSS;
constexpr unsigned int A_ROW = BK / 4 + 2; // vectors from a row of A's tile to the next: two to spare, so that eight rows lie in different banks
constexpr unsigned int B_ROW = BN / 4 + 2; // and of B's

struct alignas(8) Four {
    half at[4];
};

// What a thread moves of a tile: vector `lane`, `lane + LANES` and so on.
struct Part {
    Four v[8];
};

// Four elements of A, by their vector's number in the tile. Beyond the edges stand zeros: they add nothing to a sum. Where the tiles
// divide the matrix there are no edges, and no thread asks.
__device__ Four load_a(const half* a, unsigned int top, unsigned int begin, unsigned int vector) {
    unsigned int row = top + vector / (BK / 4);
    unsigned int k = begin + vector % (BK / 4) * 4;
    const half* at = a + row * K + k;
    Four four = {};
    if (K % 4 == 0) {
        if ((M % BM == 0 && K % BK == 0) || (row < M && k < K)) { four = *reinterpret_cast<const Four*>(at); }
    } else {    // rows begin anywhere in a vector: one element after the other
        for (unsigned int i = 0; i < 4; i++) {
            if (row < M && k + i < K) { four.at[i] = at[i]; }
        }
    }
    return four;
}

// The same of B.
__device__ Four load_b(const half* b, unsigned int begin, unsigned int left, unsigned int vector) {
    unsigned int k = begin + vector / (BN / 4);
    unsigned int column = left + vector % (BN / 4) * 4;
    const half* at = b + k * N + column;
    Four four = {};
    if (N % 4 == 0) {
        if ((N % BN == 0 && K % BK == 0) || (k < K && column < N)) { four = *reinterpret_cast<const Four*>(at); }
    } else {
        for (unsigned int i = 0; i < 4; i++) {
            if (k < K && column + i < N) { four.at[i] = at[i]; }
        }
    }
    return four;
}

__device__ Part part_of_a(const half* a, unsigned int top, unsigned int k, unsigned int lane) {
    Part part;
    for (unsigned int i = 0; i < 8; i++) { part.v[i] = load_a(a, top, k, lane + i * LANES); }
    return part;
}

__device__ Part part_of_b(const half* b, unsigned int k, unsigned int left, unsigned int lane) {
    Part part;
    for (unsigned int i = 0; i < 8; i++) { part.v[i] = load_b(b, k, left, lane + i * LANES); }
    return part;
}

// Where a vector of a tile lies.
__device__ unsigned int in_a(unsigned int vector) { return vector / (BK / 4) * A_ROW + vector % (BK / 4); }
__device__ unsigned int in_b(unsigned int vector) { return vector / (BN / 4) * B_ROW + vector % (BN / 4); }

// Fragments, whose elements the threads of a warp share.
using OfA = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using OfB = wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major>;
using OfC = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

// Adds the product of 16 columns of A with 16 rows of B: one fragment of A with each of B's.
__device__ void add_square(const Four* tile_a, const Four* tile_b, unsigned int k, unsigned int row, unsigned int column,
                           OfC (&sum)[4][4]) {
    OfB columns[4];
    for (unsigned int j = 0; j < 4; j++) {
        wmma::load_matrix_sync(columns[j], tile_b[k * B_ROW + (column + j * 16) / 4].at, B_ROW * 4);
    }
    for (unsigned int i = 0; i < 4; i++) {
        OfA of_a;
        wmma::load_matrix_sync(of_a, tile_a[(row + i * 16) * A_ROW + k / 4].at, A_ROW * 4);
        for (unsigned int j = 0; j < 4; j++) { wmma::mma_sync(sum[i][j], of_a, columns[j], sum[i][j]); }
    }
}

// Stores a fragment to C. Which thread holds which element is the compiler's business, so it goes through shared memory.
__device__ void store(float* c, float* through, const OfC& fragment, unsigned int row, unsigned int column, unsigned int lane) {
    wmma::store_matrix_sync(through, fragment, 16, wmma::mem_row_major);
    __syncthreads();
    for (unsigned int at = lane % 32; at < 256; at += 32) {
        if (row + at / 16 < M && column + at % 16 < N) { c[(row + at / 16) * N + column + at % 16] = through[at]; }
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(LANES)
cooperative(const half* __restrict__ a, const half* __restrict__ b, float* __restrict__ c) {
    __shared__ alignas(32) Four tile_a[BM * A_ROW];
    __shared__ alignas(32) Four tile_b[BK * B_ROW];
    __shared__ alignas(32) float fragments[LANES / 32 * 256];    // one of C for each warp
    unsigned int lane = threadIdx.x;
    unsigned int warp = lane / 32;
    unsigned int top = blockIdx.y * BM;                          // the block's tile of C begins here
    unsigned int left = blockIdx.x * BN;
    unsigned int row = warp / ACROSS * 64;                       // and the warp's square here within it
    unsigned int column = warp % ACROSS * 64;

    OfC sum[4][4];
    for (unsigned int i = 0; i < 16; i++) { wmma::fill_fragment(sum[i / 4][i % 4], 0.0f); }
    Part next_a = part_of_a(a, top, 0, lane);
    Part next_b = part_of_b(b, 0, left, lane);
    for (unsigned int k = 0; k < K; k += BK) {
        for (unsigned int i = 0; i < 8; i++) { tile_a[in_a(lane + i * LANES)] = next_a.v[i]; }
        for (unsigned int i = 0; i < 8; i++) { tile_b[in_b(lane + i * LANES)] = next_b.v[i]; }
        __syncthreads();
        if (k + BK < K) {                                        // on their way while these are multiplied
            next_a = part_of_a(a, top, k + BK, lane);
            next_b = part_of_b(b, k + BK, left, lane);
        }
        add_square(tile_a, tile_b, 0, row, column, sum);
        add_square(tile_a, tile_b, 16, row, column, sum);
        __syncthreads();
    }

    #pragma unroll
    for (unsigned int i = 0; i < 4; i++) {
        #pragma unroll
        for (unsigned int j = 0; j < 4; j++) {
            store(c, &fragments[warp * 256], sum[i][j], top + row + i * 16, left + column + j * 16, lane);
        }
    }
}
