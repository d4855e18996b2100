// Against `mma_sync`: four warps together hand over 64 x 128 x
// 16, straight from shared memory. The tile is 128 x 128 again.
// A and B never pass through registers: the copy engine (TMA)
// brings a tile, and `wgmma` reads it where it lies.
// A block has room for one tile of each. While it waits for the
// next, other blocks on its multiprocessor multiply.
// Constants: M, N, K, the sizes of the matrices; N and K are
// multiples of 8. All three are row-major, in bf16; sums are in
// f32.
// Tensor maps, in boxes of rows x columns swizzled over 128
// bytes: a_map, of A in 128 x 64; b_map, of B in 64 x 64.
#include "hopper.cuh"

constexpr unsigned BM = 128, BN = 128;
constexpr unsigned BK = 64;  // 128 bytes, the swizzle's width
// Bytes of a tile.
constexpr unsigned A_TILE = BM * BK * 2, B_TILE = BK * BN * 2;
// Bytes of 64 rows of A's tile, or of 64 columns of B's.
constexpr unsigned BOX = 64 * BK * 2;

extern "C" __global__ void __launch_bounds__(128)
wgmma(const bf16*, const bf16*, bf16* __restrict__ c,
      const __grid_constant__ TensorMap a_map,
      const __grid_constant__ TensorMap b_map) {
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ unsigned long long barrier;
    unsigned a_tile = address(shared), b_tile = a_tile + A_TILE;
    unsigned arrived = address(&barrier);
    unsigned first_row = blockIdx.y * BM;
    unsigned first_column = blockIdx.x * BN;
    if (threadIdx.x == 0) {
        barrier_init(arrived, 1);
        fence_async();
    }
    __syncthreads();

    float sums[BM / 64][64] = {};
    for (unsigned step = 0; step * BK < K; step++) {
        if (threadIdx.x == 0) {
            unsigned k = step * BK;
            barrier_expect(arrived, A_TILE + B_TILE);
            copy_box(a_tile, a_map, k, first_row, arrived);
            for (unsigned j = 0; j < BN / 64; j++) {
                copy_box(b_tile + j * BOX, b_map,
                         first_column + 64 * j, k, arrived);
            }
        }
        barrier_wait_warp(arrived, step % 2);
        mma_fence();
        #pragma unroll
        for (unsigned k = 0; k < BK; k += 16) {
            // Row k of B's tile, and column k of A's.
            auto b = descriptor(b_tile + k * 128, BOX);
            #pragma unroll
            for (unsigned i = 0; i < BM / 64; i++) {
                unsigned a_rows = a_tile + i * BOX;
                mma(sums[i], descriptor(a_rows + k * 2, 16), b);
            }
        }
        mma_commit();
        mma_wait<0>();
        // When all four warps have their sums, the next tile
        // may take the place of this one.
        __syncthreads();
    }

    // Warp w has rows 16 w to 16 w + 15. Lane l holds columns
    // 2 (l % 4) and the next one of rows l / 4 and l / 4 + 8 of
    // each eight columns (PTX ISA, "Register Fragments for
    // wgmma.mma_async.m64nNk16", matrix D).
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    #pragma unroll
    for (unsigned i = 0; i < BM / 64; i++) {
        unsigned row =
            first_row + 64 * i + 16 * warp + lane / 4;
        #pragma unroll
        for (unsigned j = 0; j < BN / 8; j++) {
            unsigned column =
                first_column + 8 * j + lane % 4 * 2;
            const float* own = sums[i] + 4 * j;
            unsigned upper = pack_bf16(own[0], own[1]);
            unsigned lower = pack_bf16(own[2], own[3]);
            bf16* to = c + row * N + column;
            if (row < M && column < N) {
                *(unsigned*)to = upper;
            }
            if (row + 8 < M && column < N) {
                *(unsigned*)(to + 8 * N) = lower;
            }
        }
    }
}
