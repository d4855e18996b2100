// Against `cooperative`: a warp hands its fragments over by `mma.sync` itself. Numbers and results are bf16, a block's tile is 128 x 256.
// One `mma.sync` takes 16 x 16 of A and 16 x 8 of B in bf16 and adds their product to sums in f32.
// `cp.async` copies tiles to shared memory without registers between, into a ring of STAGES places.
// From outside: M, N, K, the matrices' sizes. All three are row-major, in bf16.

using bf16 = unsigned short;    // its 16 bits

constexpr unsigned int BM = 128, BN = 256, BK = 64;    // the block's tile
constexpr unsigned int WM = 64, WN = 64;               // a warp's part of it
constexpr unsigned int STAGES = 3;
constexpr unsigned int WARPS = (BM / WM) * (BN / WN), THREADS = 32 * WARPS;
// Rows are 16 bytes longer than they need to be, so that eight rows of 16 bytes lie in different banks.
constexpr unsigned int A_PITCH = BK + 8, B_PITCH = BN + 8;
constexpr unsigned int A_TILE = BM * A_PITCH, B_TILE = BK * B_PITCH;

__device__ unsigned int address(const void* shared) { return (unsigned int)__cvta_generic_to_shared(shared); }

// Eight neighbours of a row-major matrix to shared memory, with zeros for those outside of it.
template <unsigned int ROWS, unsigned int COLUMNS>
__device__ void copy8(bf16* to, const bf16* matrix, unsigned int row, unsigned int column) {
    const bf16* from = matrix + row * COLUMNS + column;
    if constexpr (COLUMNS % 8 == 0) {
        // All eight are inside or none is. `cp.async` writes 16 bytes, of which it reads `bytes` and makes the others zero.
        unsigned int bytes = row < ROWS && column < COLUMNS ? 16 : 0;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                     :: "r"(address(to)), "l"(bytes ? from : matrix), "r"(bytes) : "memory");
    } else {
        // Rows start anywhere, and 16 bytes at once have to start at a multiple of 16.
        for (unsigned int i = 0; i < 8; i++) {
            to[i] = row < ROWS && column + i < COLUMNS ? from[i] : 0;
        }
    }
}

// Four 8 x 8 matrices from shared memory to a warp's registers. Lane l says where row l % 8 of matrix l / 8 starts.
__device__ void load(unsigned int (&to)[4], const bf16* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(address(row)) : "memory");
}

// The same, and each matrix transposed: the tensor core wants a column of B where it wants a row of A.
__device__ void load_transposed(unsigned int (&to)[4], const bf16* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(address(row)) : "memory");
}

// d += a b for 16 x 8 results of a warp (PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type").
__device__ void mma(float (&d)[4], const unsigned int (&a)[4], unsigned int b0, unsigned int b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Two neighbours of a row of C, as bf16.
__device__ void store2(bf16* c, unsigned int row, unsigned int column, float left, float right) {
    unsigned int pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(right), "f"(left));
    if (row >= M || column >= N) return;
    bf16* to = c + row * N + column;
    if constexpr (N % 2 == 0) {
        *(unsigned int*)to = pair;
    } else {
        to[0] = (bf16)pair;
        if (column + 1 < N) to[1] = (bf16)(pair >> 16);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
mma_sync(const bf16* __restrict__ a, const bf16* __restrict__ b, bf16* __restrict__ c) {
    extern __shared__ __align__(16) bf16 shared[];
    bf16* a_tiles = shared;
    bf16* b_tiles = shared + STAGES * A_TILE;
    unsigned int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;
    unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned int warp_row = warp / (BN / WN) * WM, warp_column = warp % (BN / WN) * WN;

    constexpr unsigned int STEPS = (K + BK - 1) / BK;
    auto fill = [&](unsigned int step) {
        if (step < STEPS) {
            bf16* a_tile = a_tiles + step % STAGES * A_TILE;
            bf16* b_tile = b_tiles + step % STAGES * B_TILE;
            #pragma unroll
            for (unsigned int i = 0; i < BM * BK; i += 8 * THREADS) {
                unsigned int row = (i + 8 * threadIdx.x) / BK, column = (i + 8 * threadIdx.x) % BK;
                copy8<M, K>(a_tile + row * A_PITCH + column, a, first_row + row, step * BK + column);
            }
            #pragma unroll
            for (unsigned int i = 0; i < BK * BN; i += 8 * THREADS) {
                unsigned int row = (i + 8 * threadIdx.x) / BN, column = (i + 8 * threadIdx.x) % BN;
                copy8<K, N>(b_tile + row * B_PITCH + column, b, step * BK + row, first_column + column);
            }
        }
        // A group for every step, an empty one too: so the count of groups says how far the copies are.
        asm volatile("cp.async.commit_group;" ::: "memory");
    };

    // What a warp multiplies next, 16 of k: two sets of registers, of which one is loaded while the other is multiplied.
    unsigned int a_parts[2][WM / 16][4], b_parts[2][WN / 16][4];
    auto load_parts = [&](unsigned int set, unsigned int step, unsigned int k) {
        const bf16* a_tile = a_tiles + step % STAGES * A_TILE + warp_row * A_PITCH;
        const bf16* b_tile = b_tiles + step % STAGES * B_TILE + warp_column;
        #pragma unroll
        for (unsigned int i = 0; i < WM / 16; i++) {
            load(a_parts[set][i], a_tile + (16 * i + lane % 16) * A_PITCH + k + lane / 16 * 8);
        }
        #pragma unroll
        for (unsigned int j = 0; j < WN / 16; j++) {
            load_transposed(b_parts[set][j], b_tile + (k + lane % 16) * B_PITCH + 16 * j + lane / 16 * 8);
        }
    };
    // Waits for the tiles of a step: each thread for what it copied itself, and then for the others.
    auto wait_for_tiles = [&]() {
        asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2) : "memory");
        __syncthreads();
    };

    float sums[WM / 16][WN / 8][4] = {};
    for (unsigned int step = 0; step < STAGES - 1; step++) fill(step);
    wait_for_tiles();
    load_parts(0, 0, 0);
    for (unsigned int step = 0; step < STEPS; step++) {
        #pragma unroll
        for (unsigned int k = 0; k < BK; k += 16) {
            unsigned int set = k / 16 % 2;
            if (k == 0) fill(step + STAGES - 1);    // into the tiles of the step before, which all warps have left
            if (k + 16 < BK) {
                load_parts(set ^ 1, step, k + 16);
            } else {
                wait_for_tiles();
                load_parts(set ^ 1, step + 1, 0);
            }
            #pragma unroll
            for (unsigned int i = 0; i < WM / 16; i++) {
                #pragma unroll
                for (unsigned int j = 0; j < WN / 8; j++) {
                    mma(sums[i][j], a_parts[set][i], b_parts[set][j / 2][j % 2 * 2], b_parts[set][j / 2][j % 2 * 2 + 1]);
                }
            }
        }
    }

    // Lane l holds columns 2 (l % 4) and the next one of rows l / 4 and l / 4 + 8 of each 16 x 8.
    unsigned int row = first_row + warp_row + lane / 4, column = first_column + warp_column + lane % 4 * 2;
    #pragma unroll
    for (unsigned int i = 0; i < WM / 16; i++) {
        #pragma unroll
        for (unsigned int j = 0; j < WN / 8; j++) {
            store2(c, row + 16 * i, column + 8 * j, sums[i][j][0], sums[i][j][1]);
            store2(c, row + 16 * i + 8, column + 8 * j, sums[i][j][2], sums[i][j][3]);
        }
    }
}
