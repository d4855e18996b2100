// Against `pipelined`: blocks go through C in groups of GROUP rows of tiles.
// The blocks that run at the same time cover a square of C instead of a few long rows, and what they load is in the L2 cache already.
// From outside: M, N, K, the matrices' sizes; N and K are multiples of 8. All three are row-major, in bf16; sums are in f32.
// Tensor maps, in boxes of rows x columns swizzled over 128 bytes: a_map, of A in 128 x 64, and b_map, of B in 64 x 64.

using bf16 = unsigned short;    // its 16 bits
struct alignas(64) TensorMap { unsigned long long opaque[16]; };

constexpr unsigned int BM = 128, BN = 256;
constexpr unsigned int BK = 64;    // 128 bytes, the width of the swizzle
constexpr unsigned int STAGES = 4;
constexpr unsigned int A_TILE = BM * BK * 2, B_TILE = BK * BN * 2;    // bytes
constexpr unsigned int BOX = 64 * BK * 2;                             // 64 rows of A's tile, or 64 columns of B's
constexpr unsigned int CONSUMERS = BM / 64;    // warpgroups that multiply, 64 rows each
constexpr unsigned int ROWS = (M + BM - 1) / BM, COLUMNS = (N + BN - 1) / BN;    // of tiles
constexpr unsigned int GROUP = 16;    // rows of tiles: with 8 columns about as many tiles as blocks run at the same time
constexpr unsigned int STEPS = (K + BK - 1) / BK;

__device__ unsigned int address(const void* shared) { return (unsigned int)__cvta_generic_to_shared(shared); }

__device__ void barrier_init(unsigned int barrier, unsigned int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(barrier), "r"(arrivals) : "memory");
}

// Arrives, and makes the barrier wait for so many bytes besides.
__device__ void barrier_expect(unsigned int barrier, unsigned int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(barrier), "r"(bytes) : "memory");
}

__device__ void barrier_arrive(unsigned int barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(barrier) : "memory");
}

// Waits until the barrier's phase of this parity (0, 1, 0, …) is complete. The phase before its first counts as one of parity 1.
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

// %t0 … %t9 of the instruction's text, and thirty-two of its operands.
#define TEN(t) "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9, "
#define EIGHT(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), \
                    "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define THIRTY_TWO(d, i) EIGHT(d, i), EIGHT(d, i + 8), EIGHT(d, i + 16), EIGHT(d, i + 24)

// d += a b for 64 x 256 results of a warpgroup. The last 1 says that B's lines run along n: row-major B, as it is.
__device__ void mma(float (&d)[128], unsigned long long a, unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
                 "{" TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9) TEN(10) TEN(11)
                 "%120, %121, %122, %123, %124, %125, %126, %127}, %128, %129, 1, 1, 1, 0, 1;"
                 : THIRTY_TWO(d, 0), THIRTY_TWO(d, 32), THIRTY_TWO(d, 64), THIRTY_TWO(d, 96)
                 : "l"(a), "l"(b));
}

// One step: 64 rows of A's tile times B's tile. The sums belong to the tensor cores until they are waited for.
__device__ void multiply(float (&sums)[128], unsigned int a_tile, unsigned int b_tile) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    #pragma unroll
    for (unsigned int k = 0; k < BK; k += 16) {
        mma(sums, descriptor(a_tile + k * 2, 16), descriptor(b_tile + k * 128, BOX));    // column k of A, row k of B
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until at most so many of the last steps are still being multiplied.
template <unsigned int STEPS_LEFT>
__device__ void multiply_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(STEPS_LEFT) : "memory"); }

// Two sums as bf16 in 32 bits. Volatile, so that it stays behind the wait for the sums.
__device__ unsigned int pack(float left, float right) {
    unsigned int pair;
    asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(right), "f"(left));
    return pair;
}

// Where a tile lies: through a group of rows, column by column, then through the next group.
__device__ void place(unsigned int tile, unsigned int& row, unsigned int& column) {
    unsigned int first = tile / (GROUP * COLUMNS) * GROUP, within = tile % (GROUP * COLUMNS);
    unsigned int height = min(GROUP, ROWS - first);
    row = (first + within % height) * BM;
    column = within / height * BN;
}

extern "C" __global__ void __launch_bounds__(128 * (1 + CONSUMERS), 1)
pipelined_grouped(const bf16*, const bf16*, bf16* __restrict__ c,
                  const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map) {
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ unsigned long long full_barriers[STAGES], empty_barriers[STAGES];
    unsigned int a_tiles = address(shared), b_tiles = a_tiles + STAGES * A_TILE;
    unsigned int full = address(full_barriers), empty = address(empty_barriers);    // 8 bytes each
    unsigned int first_row, first_column;
    place(blockIdx.x, first_row, first_column);
    unsigned int warpgroup = threadIdx.x / 128, warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (unsigned int stage = 0; stage < STAGES; stage++) {
            barrier_init(full + 8 * stage, 1);                 // the producer, and the bytes
            barrier_init(empty + 8 * stage, 4 * CONSUMERS);    // each consuming warp
        }
        // The copy engine, which counts bytes with them, sees the barriers from here on.
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();

    if (warpgroup == 0) {
        // The producer. It gives back registers, which the consumers need for their sums.
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            for (unsigned int step = 0; step < STEPS; step++) {
                unsigned int stage = step % STAGES, parity = step / STAGES % 2;
                barrier_wait(empty + 8 * stage, parity ^ 1);
                barrier_expect(full + 8 * stage, A_TILE + B_TILE);
                copy_box(a_tiles + stage * A_TILE, a_map, step * BK, first_row, full + 8 * stage);
                for (unsigned int j = 0; j < BN / 64; j++) {
                    copy_box(b_tiles + stage * B_TILE + j * BOX, b_map, first_column + 64 * j, step * BK, full + 8 * stage);
                }
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        unsigned int part = warpgroup - 1;    // of A's tile
        float sums[128] = {};
        for (unsigned int step = 0; step < STEPS; step++) {
            unsigned int stage = step % STAGES, parity = step / STAGES % 2;
            barrier_wait(full + 8 * stage, parity);
            multiply(sums, a_tiles + stage * A_TILE + part * BOX, b_tiles + stage * B_TILE);
            // While this step runs, the one before is complete, and its place can be filled again.
            multiply_wait<1>();
            if (step > 0 && lane == 0) barrier_arrive(empty + 8 * ((step - 1) % STAGES));
        }
        multiply_wait<0>();

        // Lane l holds columns 2 (l % 4) and the next one of rows l / 4 and l / 4 + 8 of each eight columns
        // (PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16", matrix D).
        unsigned int row = first_row + 64 * part + 16 * warp + lane / 4;
        #pragma unroll
        for (unsigned int j = 0; j < BN / 8; j++) {
            unsigned int column = first_column + 8 * j + lane % 4 * 2;
            unsigned int upper = pack(sums[4 * j], sums[4 * j + 1]), lower = pack(sums[4 * j + 2], sums[4 * j + 3]);
            if (row < M && column < N) *(unsigned int*)(c + row * N + column) = upper;
            if (row + 8 < M && column < N) *(unsigned int*)(c + (row + 8) * N + column) = lower;
        }
    }
}
