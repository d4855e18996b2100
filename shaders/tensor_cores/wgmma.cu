// Against `mma_sync`: four warps together hand over 64 x 128 x 16, straight from shared memory. The tile is 128 x 128 again.
// A and B never pass through registers: the copy engine (TMA) brings a tile, and `wgmma` reads it where it lies.
// A block has room for one tile of each; while it waits for the next, other blocks on its multiprocessor multiply.
// From outside: M, N, K, the matrices' sizes; N and K are multiples of 8. All three are row-major, in bf16; sums are in f32.
// Tensor maps, in boxes of rows x columns swizzled over 128 bytes: a_map, of A in 128 x 64, and b_map, of B in 64 x 64.

using bf16 = unsigned short;    // its 16 bits
struct alignas(64) TensorMap { unsigned long long opaque[16]; };

constexpr unsigned int BM = 128, BN = 128;
constexpr unsigned int BK = 64;    // 128 bytes, the width of the swizzle
constexpr unsigned int A_TILE = BM * BK * 2, B_TILE = BK * BN * 2;    // bytes
constexpr unsigned int BOX = 64 * BK * 2;                             // 64 rows of A's tile, or 64 columns of B's

__device__ unsigned int address(const void* shared) { return (unsigned int)__cvta_generic_to_shared(shared); }

__device__ void barrier_init(unsigned int barrier, unsigned int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(barrier), "r"(arrivals) : "memory");
}

// Arrives, and makes the barrier wait for so many bytes besides.
__device__ void barrier_expect(unsigned int barrier, unsigned int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(barrier), "r"(bytes) : "memory");
}

// Waits until the barrier's phase of this parity (0, 1, 0, …) is complete.
__device__ void barrier_wait(unsigned int barrier, unsigned int parity) {
    unsigned int complete;
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(complete) : "r"(barrier), "r"(parity) : "memory");
    } while (!complete);
}

// Has the copy engine bring the box that starts at (column, row), zeros for what is outside of the matrix.
__device__ void copy_box(unsigned int to, const TensorMap& map, unsigned int column, unsigned int row, unsigned int barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(to), "l"(&map), "r"(column), "r"(row), "r"(barrier) : "memory");
}

// How a matrix lies in shared memory (PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout", "Matrix Descriptor"):
// in blocks of 8 lines of 128 bytes, swizzled, from each to the next 1024 bytes; all in units of 16 bytes.
// A's lines are rows, 64 of k. B's lines are rows too, but 64 of n: the next 64 of n are `leading` bytes further.
__device__ unsigned long long descriptor(unsigned int start, unsigned int leading) {
    constexpr unsigned long long SWIZZLE_128B = 1ull << 62;
    return SWIZZLE_128B | (1024ull >> 4) << 32 | (unsigned long long)(leading >> 4) << 16 | (start & 0x3ffff) >> 4;
}

// %t0 … %t9 of the instruction's text, and eight of its operands.
#define TEN(t) "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9, "
#define EIGHT(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), \
                    "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])

// d += a b for 64 x 128 results of a warpgroup. The last 1 says that B's lines run along n: row-major B, as it is.
__device__ void mma(float (&d)[64], unsigned long long a, unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
                 "{" TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) "%60, %61, %62, %63}, %64, %65, 1, 1, 1, 0, 1;"
                 : EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24),
                   EIGHT(d, 32), EIGHT(d, 40), EIGHT(d, 48), EIGHT(d, 56)
                 : "l"(a), "l"(b));
}

// Two sums as bf16 in 32 bits. Volatile, so that it stays behind the wait for the sums.
__device__ unsigned int pack(float left, float right) {
    unsigned int pair;
    asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(right), "f"(left));
    return pair;
}

extern "C" __global__ void __launch_bounds__(128)
wgmma(const bf16*, const bf16*, bf16* __restrict__ c,
      const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map) {
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ unsigned long long barrier;
    unsigned int a_tile = address(shared), b_tile = a_tile + A_TILE, arrived = address(&barrier);
    unsigned int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;
    if (threadIdx.x == 0) {
        barrier_init(arrived, 1);
        // The copy engine, which counts bytes with it, sees the barrier from here on.
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();

    float sums[BM / 64][64] = {};
    for (unsigned int step = 0; step * BK < K; step++) {
        if (threadIdx.x == 0) {
            barrier_expect(arrived, A_TILE + B_TILE);
            copy_box(a_tile, a_map, step * BK, first_row, arrived);
            for (unsigned int j = 0; j < BN / 64; j++) {
                copy_box(b_tile + j * BOX, b_map, first_column + 64 * j, step * BK, arrived);
            }
        }
        barrier_wait(arrived, step % 2);
        // From here on the registers of the sums belong to the tensor cores …
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        #pragma unroll
        for (unsigned int k = 0; k < BK; k += 16) {
            unsigned long long b_part = descriptor(b_tile + k * 128, BOX);    // row k
            #pragma unroll
            for (unsigned int i = 0; i < BM / 64; i++) {
                mma(sums[i], descriptor(a_tile + i * BOX + k * 2, 16), b_part);    // column k
            }
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        // … to here. When all four warps have their sums, the next tile may take the place of this one.
        __syncthreads();
    }

    // Warp w has rows 16 w to 16 w + 15. Lane l holds columns 2 (l % 4) and the next one of rows l / 4 and l / 4 + 8
    // of each eight columns (PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16", matrix D).
    unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    #pragma unroll
    for (unsigned int i = 0; i < BM / 64; i++) {
        unsigned int row = first_row + 64 * i + 16 * warp + lane / 4;
        #pragma unroll
        for (unsigned int j = 0; j < BN / 8; j++) {
            unsigned int column = first_column + 8 * j + lane % 4 * 2;
            unsigned int upper = pack(sums[i][4 * j], sums[i][4 * j + 1]), lower = pack(sums[i][4 * j + 2], sums[i][4 * j + 3]);
            if (row < M && column < N) *(unsigned int*)(c + row * N + column) = upper;
            if (row + 8 < M && column < N) *(unsigned int*)(c + (row + 8) * N + column) = lower;
        }
    }
}
