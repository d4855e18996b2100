// Against `cooperative`: a warp hands its fragments over by
// `mma.sync` itself. Numbers and results are bf16, and a
// block's tile is 128 x 256.
// One `mma.sync` takes 16 x 16 of A and 16 x 8 of B in bf16 and
// adds their product to sums in f32.
// `cp.async` copies tiles to shared memory, not by way of
// registers, into a ring of STAGES places.
// Constants: M, N, K, the sizes of the matrices. All three are
// row-major, in bf16.

using bf16 = unsigned short;  // its 16 bits

// The block's tile, and a warp's rows and columns of it.
constexpr unsigned BM = 128, BN = 256, BK = 64;
constexpr unsigned WM = 64, WN = 64;
constexpr unsigned STAGES = 3;
constexpr unsigned WARPS = (BM / WM) * (BN / WN);
constexpr unsigned THREADS = 32 * WARPS;
constexpr unsigned ROUND = 8 * THREADS;  // 8 elements a thread
// Rows are 16 bytes longer than they need to be, so that eight
// rows of 16 bytes lie in different banks.
constexpr unsigned A_PITCH = BK + 8, B_PITCH = BN + 8;
constexpr unsigned A_TILE = BM * A_PITCH;
constexpr unsigned B_TILE = BK * B_PITCH;

__device__ unsigned address(const void* shared) {
    return (unsigned)__cvta_generic_to_shared(shared);
}

// Eight neighbours of a row-major matrix to shared memory, with
// zeros for those outside of it.
template <unsigned ROWS, unsigned COLUMNS>
__device__ void copy8(bf16* to, const bf16* matrix,
                      unsigned row, unsigned column) {
    const bf16* from = matrix + row * COLUMNS + column;
    if constexpr (COLUMNS % 8 == 0) {
        // All eight are inside or none is. `cp.async` writes 16
        // bytes; it reads `bytes` and makes the others zero.
        bool is_inside = row < ROWS && column < COLUMNS;
        unsigned bytes = is_inside ? 16 : 0;
        asm volatile("cp.async.cg.shared.global "
                     "[%0], [%1], 16, %2;"
                     :: "r"(address(to)),
                        "l"(is_inside ? from : matrix),
                        "r"(bytes) : "memory");
    } else {
        // Rows start anywhere, and 16 bytes at once have to
        // start at a multiple of 16.
        for (unsigned i = 0; i < 8; i++) {
            bool is_inside = row < ROWS && column + i < COLUMNS;
            to[i] = is_inside ? from[i] : 0;
        }
    }
}

// Four 8 x 8 matrices from shared memory to a warp's registers.
// Lane l says where row l % 8 of matrix l / 8 starts.
__device__ void ldmatrix(unsigned (&to)[4], const bf16* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]),
                   "=r"(to[3])
                 : "r"(address(row)) : "memory");
}

// The same, and each matrix transposed: the tensor core wants a
// column of B where it wants a row of A.
__device__ void ldmatrix_transposed(unsigned (&to)[4],
                                    const bf16* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans"
                 ".shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]),
                   "=r"(to[3])
                 : "r"(address(row)) : "memory");
}

// d += a b for 16 x 8 results of a warp (PTX ISA, "Matrix
// Fragments for mma.m16n8k16 with floating point type").
__device__ void mma(float (&d)[4], const unsigned (&a)[4],
                    unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col"
                 ".f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]),
                   "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]),
                   "r"(b0), "r"(b1));
}

// Two neighbours of a row of C, as bf16.
__device__ void store_pair(bf16* c, unsigned row,
                           unsigned column, float left,
                           float right) {
    unsigned packed;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;"
        : "=r"(packed) : "f"(right), "f"(left));
    if (row >= M || column >= N) return;
    bf16* to = c + row * N + column;
    if constexpr (N % 2 == 0) {
        *(unsigned*)to = packed;
    } else {
        to[0] = (bf16)packed;
        if (column + 1 < N) to[1] = (bf16)(packed >> 16);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
mma_sync(const bf16* __restrict__ a,
         const bf16* __restrict__ b, bf16* __restrict__ c) {
    extern __shared__ __align__(16) bf16 shared[];
    bf16* a_tiles = shared;
    bf16* b_tiles = shared + STAGES * A_TILE;
    unsigned first_row = blockIdx.y * BM;
    unsigned first_column = blockIdx.x * BN;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned warp_row = warp / (BN / WN) * WM;
    unsigned warp_column = warp % (BN / WN) * WN;

    constexpr unsigned STEPS = (K + BK - 1) / BK;
    auto copy_tiles = [&](unsigned step) {
        if (step < STEPS) {
            unsigned stage = step % STAGES, k = step * BK;
            bf16* a_tile = a_tiles + stage * A_TILE;
            bf16* b_tile = b_tiles + stage * B_TILE;
            #pragma unroll
            for (unsigned i = 0; i < BM * BK; i += ROUND) {
                unsigned row = (i + 8 * threadIdx.x) / BK;
                unsigned column = (i + 8 * threadIdx.x) % BK;
                copy8<M, K>(a_tile + row * A_PITCH + column, a,
                            first_row + row, k + column);
            }
            #pragma unroll
            for (unsigned i = 0; i < BK * BN; i += ROUND) {
                unsigned row = (i + 8 * threadIdx.x) / BN;
                unsigned column = (i + 8 * threadIdx.x) % BN;
                copy8<K, N>(b_tile + row * B_PITCH + column, b,
                            k + row, first_column + column);
            }
        }
        // A group for every step, an empty one too: so the
        // count of groups says how far the copies are.
        asm volatile("cp.async.commit_group;" ::: "memory");
    };

    // What a warp multiplies next, 16 of k: two sets of
    // registers, one of which is loaded while the other is
    // multiplied.
    unsigned a_fragments[2][WM / 16][4];
    unsigned b_fragments[2][WN / 16][4];
    auto load_fragments = [&](unsigned set, unsigned step,
                              unsigned k) {
        unsigned stage = step % STAGES;
        const bf16* a_tile =
            a_tiles + stage * A_TILE + warp_row * A_PITCH;
        const bf16* b_tile =
            b_tiles + stage * B_TILE + warp_column;
        #pragma unroll
        for (unsigned i = 0; i < WM / 16; i++) {
            const bf16* row =
                a_tile + (16 * i + lane % 16) * A_PITCH;
            ldmatrix(a_fragments[set][i],
                     row + k + lane / 16 * 8);
        }
        #pragma unroll
        for (unsigned j = 0; j < WN / 16; j++) {
            const bf16* row =
                b_tile + (k + lane % 16) * B_PITCH;
            ldmatrix_transposed(b_fragments[set][j],
                                row + 16 * j + lane / 16 * 8);
        }
    };
    // Waits for the tiles of a step: each thread for what it
    // copied itself, and then for the others.
    auto wait_for_tiles = [&]() {
        asm volatile("cp.async.wait_group %0;"
                     :: "n"(STAGES - 2) : "memory");
        __syncthreads();
    };

    float sums[WM / 16][WN / 8][4] = {};
    for (unsigned step = 0; step < STAGES - 1; step++) {
        copy_tiles(step);
    }
    wait_for_tiles();
    load_fragments(0, 0, 0);
    for (unsigned step = 0; step < STEPS; step++) {
        #pragma unroll
        for (unsigned k = 0; k < BK; k += 16) {
            unsigned set = k / 16 % 2;
            if (k == 0) {
                // Into the tiles of the step before, which all
                // warps have left.
                copy_tiles(step + STAGES - 1);
            }
            if (k + 16 < BK) {
                load_fragments(set ^ 1, step, k + 16);
            } else {
                wait_for_tiles();
                // In the last round this loads from tiles that
                // no copy has filled; nothing uses the result.
                load_fragments(set ^ 1, step + 1, 0);
            }
            #pragma unroll
            for (unsigned i = 0; i < WM / 16; i++) {
                #pragma unroll
                for (unsigned j = 0; j < WN / 8; j++) {
                    const unsigned* b_pair =
                        b_fragments[set][j / 2] + j % 2 * 2;
                    mma(sums[i][j], a_fragments[set][i],
                        b_pair[0], b_pair[1]);
                }
            }
        }
    }

    // Lane l holds columns 2 (l % 4) and the next one of rows
    // l / 4 and l / 4 + 8 of each 16 x 8.
    unsigned row = first_row + warp_row + lane / 4;
    unsigned column =
        first_column + warp_column + lane % 4 * 2;
    #pragma unroll
    for (unsigned i = 0; i < WM / 16; i++) {
        #pragma unroll
        for (unsigned j = 0; j < WN / 8; j++) {
            const float* own = sums[i][j];
            store_pair(c, row + 16 * i, column + 8 * j,
                       own[0], own[1]);
            store_pair(c, row + 16 * i + 8, column + 8 * j,
                       own[2], own[3]);
        }
    }
}
