// Against `double_buffered`: warps multiply fragments of
// 16 x 16 elements on tensor cores. Factors are f16, sums f32.
// Constants: M, N, K, the sizes of the matrices.

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr unsigned BM = 128;  // rows of a block's tile of C
constexpr unsigned BN = 128;  // and its columns
constexpr unsigned BK = 32;   // columns of A's, rows of B's
// Warps below each other, and side by side: each computes
// 64 x 64 elements of C.
constexpr unsigned DOWN = BM / 64;
constexpr unsigned ACROSS = BN / 64;
constexpr unsigned LANES = 32 * DOWN * ACROSS;
// Vectors from a row of A's tile to the next, and of B's. Two
// are to spare, so that the rows of a fragment lie in different
// banks. Stores to A's tile, and of fragments, still meet.
constexpr unsigned A_ROW = BK / 4 + 2;
constexpr unsigned B_ROW = BN / 4 + 2;

struct alignas(8) Half4 {
    half at[4];
};

// What a thread moves of a tile: vector `lane`, `lane + LANES`
// and so on.
struct Vectors {
    Half4 v[8];
};

// Four elements of A, by their vector's number in the tile.
// Beyond the edges there are zeros, which add nothing to a sum.
// Where the tiles divide the matrix there are no edges, and no
// thread compares.
__device__ Half4 load_a(const half* a, unsigned top,
                        unsigned begin, unsigned vector) {
    unsigned row = top + vector / (BK / 4);
    unsigned k = begin + vector % (BK / 4) * 4;
    const half* from = a + row * K + k;
    constexpr bool HAS_EDGES = M % BM != 0 || K % BK != 0;
    Half4 values = {};
    if (K % 4 == 0) {
        if (!HAS_EDGES || (row < M && k < K)) {
            values = *reinterpret_cast<const Half4*>(from);
        }
    } else {
        // Rows begin anywhere in a vector: one element after
        // the other.
        for (unsigned i = 0; i < 4; i++) {
            if (row < M && k + i < K) {
                values.at[i] = from[i];
            }
        }
    }
    return values;
}

// The same of B.
__device__ Half4 load_b(const half* b, unsigned begin,
                        unsigned left, unsigned vector) {
    unsigned k = begin + vector / (BN / 4);
    unsigned column = left + vector % (BN / 4) * 4;
    const half* from = b + k * N + column;
    constexpr bool HAS_EDGES = N % BN != 0 || K % BK != 0;
    Half4 values = {};
    if (N % 4 == 0) {
        if (!HAS_EDGES || (k < K && column < N)) {
            values = *reinterpret_cast<const Half4*>(from);
        }
    } else {
        for (unsigned i = 0; i < 4; i++) {
            if (k < K && column + i < N) {
                values.at[i] = from[i];
            }
        }
    }
    return values;
}

__device__ Vectors fetch_a(const half* a, unsigned top,
                           unsigned k, unsigned lane) {
    Vectors vectors;
    for (unsigned i = 0; i < 8; i++) {
        vectors.v[i] = load_a(a, top, k, lane + i * LANES);
    }
    return vectors;
}

__device__ Vectors fetch_b(const half* b, unsigned k,
                           unsigned left, unsigned lane) {
    Vectors vectors;
    for (unsigned i = 0; i < 8; i++) {
        vectors.v[i] = load_b(b, k, left, lane + i * LANES);
    }
    return vectors;
}

// Where a vector of a tile lies.
__device__ unsigned index_a(unsigned vector) {
    return vector / (BK / 4) * A_ROW + vector % (BK / 4);
}

__device__ unsigned index_b(unsigned vector) {
    return vector / (BN / 4) * B_ROW + vector % (BN / 4);
}

// Fragments, whose elements the threads of a warp share.
using FragmentA = wmma::fragment<wmma::matrix_a, 16, 16, 16,
                                 half, wmma::row_major>;
using FragmentB = wmma::fragment<wmma::matrix_b, 16, 16, 16,
                                 half, wmma::row_major>;
using FragmentC = wmma::fragment<wmma::accumulator, 16, 16, 16,
                                 float>;

// Adds the product of 16 columns of A with 16 rows of B: one
// fragment of A with each of B's.
__device__ void add_square(const Half4* tile_a,
                           const Half4* tile_b, unsigned k,
                           unsigned row, unsigned column,
                           FragmentC (&sum)[4][4]) {
    FragmentB band[4];
    for (unsigned j = 0; j < 4; j++) {
        unsigned first = k * B_ROW + (column + j * 16) / 4;
        wmma::load_matrix_sync(band[j], tile_b[first].at,
                               B_ROW * 4);
    }
    for (unsigned i = 0; i < 4; i++) {
        FragmentA rows;
        unsigned first = (row + i * 16) * A_ROW + k / 4;
        wmma::load_matrix_sync(rows, tile_a[first].at,
                               A_ROW * 4);
        for (unsigned j = 0; j < 4; j++) {
            wmma::mma_sync(sum[i][j], rows, band[j], sum[i][j]);
        }
    }
}

// Stores a fragment to C. Which thread holds which element is
// the compiler's business, so it goes through shared memory.
__device__ void store_fragment(float* c, float* through,
                               const FragmentC& fragment,
                               unsigned row, unsigned column,
                               unsigned lane) {
    wmma::store_matrix_sync(through, fragment, 16,
                            wmma::mem_row_major);
    __syncthreads();
    for (unsigned e = lane % 32; e < 256; e += 32) {
        unsigned c_row = row + e / 16;
        unsigned c_column = column + e % 16;
        if (c_row < M && c_column < N) {
            c[c_row * N + c_column] = through[e];
        }
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(LANES)
cooperative(const half* __restrict__ a,
            const half* __restrict__ b,
            float* __restrict__ c) {
    __shared__ alignas(32) Half4 tile_a[BM * A_ROW];
    __shared__ alignas(32) Half4 tile_b[BK * B_ROW];
    // A fragment of C for each warp.
    __shared__ alignas(32) float c_fragments[LANES / 32 * 256];
    unsigned lane = threadIdx.x;
    unsigned warp = lane / 32;
    // Where the block's tile of C begins, and the square of its
    // warp within it.
    unsigned top = blockIdx.y * BM;
    unsigned left = blockIdx.x * BN;
    unsigned row = warp / ACROSS * 64;
    unsigned column = warp % ACROSS * 64;

    FragmentC sum[4][4];
    for (unsigned i = 0; i < 16; i++) {
        wmma::fill_fragment(sum[i / 4][i % 4], 0.0f);
    }
    Vectors next_a = fetch_a(a, top, 0, lane);
    Vectors next_b = fetch_b(b, 0, left, lane);
    for (unsigned k = 0; k < K; k += BK) {
        for (unsigned i = 0; i < 8; i++) {
            tile_a[index_a(lane + i * LANES)] = next_a.v[i];
        }
        for (unsigned i = 0; i < 8; i++) {
            tile_b[index_b(lane + i * LANES)] = next_b.v[i];
        }
        __syncthreads();
        if (k + BK < K) {
            // On their way while these are multiplied.
            next_a = fetch_a(a, top, k + BK, lane);
            next_b = fetch_b(b, k + BK, left, lane);
        }
        add_square(tile_a, tile_b, 0, row, column, sum);
        add_square(tile_a, tile_b, 16, row, column, sum);
        __syncthreads();
    }

    #pragma unroll
    for (unsigned i = 0; i < 4; i++) {
        #pragma unroll
        for (unsigned j = 0; j < 4; j++) {
            store_fragment(c, &c_fragments[warp * 256],
                           sum[i][j], top + row + i * 16,
                           left + column + j * 16, lane);
        }
    }
}
