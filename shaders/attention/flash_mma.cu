// Attention without a matrix of scores, by `mma.sync`, as GPUs
// since Ampere have it: O = softmax(Q Kᵀ / √D) V. A block has
// BM rows of Q, and K and V pass by in tiles of BN rows.
// `cp.async` copies a tile of K or V while the one before is
// multiplied. Warps have ROW_BLOCKS x 16 rows each. The weights
// stay in registers: what a lane holds of scores is what it has
// to hold of the first factor.
// Constants: BATCH, HEADS, KV_HEADS (a divisor of HEADS), S, D
// (64 or 128), CAUSAL (0 or 1: row i sees columns 0 to i).
// q, o: BATCH x HEADS x S x D; k, v: BATCH x KV_HEADS x S x D,
// in bf16; lse: BATCH x HEADS x S, the natural logarithm of the
// sum of powers.
#include "online.cuh"
#include "warp_mma.cuh"

constexpr unsigned WARPS = 4, ROW_BLOCKS = 2;
constexpr unsigned BM = 16 * ROW_BLOCKS * WARPS, BN = 64;
constexpr unsigned THREADS = 32 * WARPS;
// Bytes of a row, and of the tiles.
constexpr unsigned LINE = D * 2;
constexpr unsigned Q_TILE = BM * LINE, TILE = BN * LINE;

// Where 16 bytes of a tile are, those at `chunk` of a row: eight
// rows have the same eight chunks in different banks.
__device__ __forceinline__ unsigned swizzled(unsigned tile,
                                             unsigned row,
                                             unsigned chunk) {
    return tile + row * LINE + (chunk ^ row % 8) * 16;
}

// Begins to copy ROWS rows of a head to a tile, with zeros for
// those that do not exist.
template <unsigned ROWS>
__device__ __forceinline__ void copy_tile(unsigned tile,
                                          const bf16* head,
                                          unsigned first) {
    #pragma unroll
    for (unsigned i = 0; i < ROWS * D / 8; i += THREADS) {
        unsigned row = (i + threadIdx.x) / (D / 8);
        unsigned chunk = (i + threadIdx.x) % (D / 8);
        bool is_inside = first + row < S;
        const bf16* from = head + (first + row) * D + chunk * 8;
        // Writes 16 bytes; reads so many, the others are zeros.
        unsigned bytes = is_inside ? 16 : 0;
        asm volatile("cp.async.cg.shared.global "
                     "[%0], [%1], 16, %2;"
                     :: "r"(swizzled(tile, row, chunk)),
                        "l"(is_inside ? from : head),
                        "r"(bytes) : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits for all but the last LEFT tiles: each thread for what it
// copied itself, and then for the others.
template <unsigned LEFT>
__device__ void wait_for_tiles() {
    asm volatile("cp.async.wait_group %0;"
                 :: "n"(LEFT) : "memory");
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(THREADS)
flash_mma(const bf16* __restrict__ q,
          const bf16* __restrict__ k,
          const bf16* __restrict__ v,
          bf16* __restrict__ o, float* __restrict__ lse) {
    extern __shared__ __align__(128) unsigned char shared[];
    unsigned q_tile = address(shared);
    unsigned k_tile = q_tile + Q_TILE, v_tile = k_tile + TILE;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned head = blockIdx.y;
    // The rows that see the most columns first.
    unsigned first_row = (gridDim.x - 1 - blockIdx.x) * BM;
    unsigned kv_head = head / (HEADS / KV_HEADS);
    const bf16* of_k = k + (unsigned long long)kv_head * S * D;
    const bf16* of_v = v + (unsigned long long)kv_head * S * D;
    unsigned columns = CAUSAL ? min(S, first_row + BM) : S;
    unsigned tile = (columns + BN - 1) / BN - 1;
    copy_tile<BM>(q_tile, q + (unsigned long long)head * S * D,
                  first_row);
    copy_tile<BN>(k_tile, of_k, tile * BN);

    unsigned warp_row = warp * 16 * ROW_BLOCKS;
    Online online[ROW_BLOCKS];
    float sums[ROW_BLOCKS][D / 2];
    #pragma unroll
    for (unsigned i = 0; i < ROW_BLOCKS; i++) {
        #pragma unroll
        for (unsigned j = 0; j < D / 2; j++) sums[i][j] = 0;
    }
    while (true) {
        // The tile of K is there, and V's may be replaced.
        wait_for_tiles<0>();
        copy_tile<BN>(v_tile, of_v, tile * BN);
        float scores[ROW_BLOCKS][BN / 2];
        #pragma unroll
        for (unsigned i = 0; i < ROW_BLOCKS; i++) {
            #pragma unroll
            for (unsigned j = 0; j < BN / 2; j++) {
                scores[i][j] = 0;
            }
        }
        #pragma unroll
        for (unsigned c = 0; c < D / 16; c++) {
            unsigned a[ROW_BLOCKS][4];
            #pragma unroll
            for (unsigned i = 0; i < ROW_BLOCKS; i++) {
                ldmatrix(a[i],
                         swizzled(q_tile,
                                  warp_row + 16 * i + lane % 16,
                                  2 * c + lane / 16));
            }
            #pragma unroll
            for (unsigned j = 0; j < BN / 16; j++) {
                unsigned b[4];
                ldmatrix(b, swizzled(k_tile,
                                     16 * j + lane / 16 * 8
                                         + lane % 8,
                                     2 * c + lane / 8 % 2));
                #pragma unroll
                for (unsigned i = 0; i < ROW_BLOCKS; i++) {
                    auto four = (float (*)[4])scores[i];
                    warp_mma(four[2 * j], a[i], b[0], b[1]);
                    warp_mma(four[2 * j + 1], a[i], b[2], b[3]);
                }
            }
        }
        // The tile of V is there, and K's may be replaced.
        wait_for_tiles<0>();
        if (tile > 0) {
            copy_tile<BN>(k_tile, of_k, (tile - 1) * BN);
        }
        unsigned weights[ROW_BLOCKS][BN / 4];
        #pragma unroll
        for (unsigned i = 0; i < ROW_BLOCKS; i++) {
            unsigned row = first_row + warp_row + 16 * i;
            unsigned end = (tile + 1) * BN;
            online[i].weigh(scores[i], row + lane / 4,
                            tile * BN,
                            end > S || (CAUSAL && end > row));
            online[i].rescale(sums[i]);
            #pragma unroll
            for (unsigned j = 0; j < BN / 4; j++) {
                weights[i][j] = pack_bf16(scores[i][2 * j],
                                          scores[i][2 * j + 1]);
            }
        }
        #pragma unroll
        for (unsigned c = 0; c < BN / 16; c++) {
            #pragma unroll
            for (unsigned j = 0; j < D / 16; j++) {
                unsigned b[4];
                ldmatrix_transposed(
                    b, swizzled(v_tile, 16 * c + lane % 16,
                                2 * j + lane / 16));
                #pragma unroll
                for (unsigned i = 0; i < ROW_BLOCKS; i++) {
                    auto four = (float (*)[4])sums[i];
                    const unsigned* a = weights[i] + 4 * c;
                    warp_mma(four[2 * j], a, b[0], b[1]);
                    warp_mma(four[2 * j + 1], a, b[2], b[3]);
                }
            }
        }
        if (tile == 0) break;
        tile--;
    }
    #pragma unroll
    for (unsigned i = 0; i < ROW_BLOCKS; i++) {
        online[i].finish();
        online[i].store(sums[i], o, lse, head,
                        first_row + warp_row + 16 * i + lane / 4);
    }
}
