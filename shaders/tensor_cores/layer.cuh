// The products of a network's layers, in f16: `persistent` with
// A and B as they are or transposed, for each rank that the
// device has. Only how tiles lie in shared memory differs, and
// an instruction's last two numbers.
// Constants: M, N, K, the sizes of a product; M is a multiple
// of 128, N of 256, K of 64. RANKS, how many products there are.
#pragma once
#include "ring.cuh"
#include "store_boxes.cuh"
#include "tile_order.cuh"

using f16 = unsigned short;  // its 16 bits

// d += a b for 64 x 256 results. A's lines run along k, or along
// m; B's along k, or along n.
template <unsigned A_ALONG_M, unsigned B_ALONG_N>
__device__ void mma_half(float (&d)[128], unsigned long long a,
                         unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned"
                 ".m64n256k16.f32.f16.f16 "
                 "{" TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5)
                 TEN(6) TEN(7) TEN(8) TEN(9) TEN(10) TEN(11)
                 "%120, %121, %122, %123, "
                 "%124, %125, %126, %127}, "
                 "%128, %129, 1, 1, 1, %130, %131;"
                 : SIXTY_FOUR(d, 0), SIXTY_FOUR(d, 64)
                 : "l"(a), "l"(b), "n"(A_ALONG_M),
                   "n"(B_ALONG_N));
}

// Two sums as f16 in 32 bits. Volatile, so that it stays behind
// the wait for the sums.
__device__ unsigned pack_half(float left, float right) {
    unsigned packed;
    asm volatile("cvt.rn.f16x2.f32 %0, %1, %2;"
                 : "=r"(packed) : "f"(right), "f"(left));
    return packed;
}

__device__ float half_float(f16 bits) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

// 64 x 64 sums, each lane's 32 from `own` on, into a buffer, as
// `fill_buffer` does it in bf16.
__device__ void fill_half(const float* own, unsigned buffer) {
    unsigned warp = threadIdx.x % 128 / 32;
    unsigned lane = threadIdx.x % 32;
    #pragma unroll
    for (unsigned j = 0; j < 4; j++) {
        unsigned row = buffer + (16 * warp + lane % 16) * 128;
        unsigned chunk = (2 * j + lane / 16) ^ (lane % 8);
        const float* eight = own + 8 * j;
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 "
                     "[%0], {%1, %2, %3, %4};"
                     :: "r"(row + chunk * 16),
                        "r"(pack_half(eight[0], eight[1])),
                        "r"(pack_half(eight[2], eight[3])),
                        "r"(pack_half(eight[4], eight[5])),
                        "r"(pack_half(eight[6], eight[7]))
                     : "memory");
    }
}

// Which tile of which rank's product.
struct Tile {
    unsigned rank, row, column;
    bool is_sum;  // of B's columns, instead of a product
};

// A product's tiles, and behind them a row of tiles with the
// sums of B's columns, if there is one.
template <bool SUMS>
constexpr unsigned TILES = (ROWS + SUMS) * COLUMNS;

template <bool SUMS>
__device__ Tile tile_of(unsigned i) {
    Tile tile = {i / TILES<SUMS>, 0, 0, false};
    unsigned within = i % TILES<SUMS>;
    if (SUMS && within >= ROWS * COLUMNS) {
        tile.is_sum = true;
        tile.column = (within - ROWS * COLUMNS) * BN;
    } else {
        tile_origin(within, tile.row, tile.column);
    }
    return tile;
}

// The rows of the tensor maps at which a rank's matrices begin.
struct Origins {
    unsigned a, b, c;
};

// By the producer, for one step of a tile.
template <bool A_ALONG_M, bool B_ALONG_N>
__device__ void load_step(const Ring& ring, unsigned step,
                          const TensorMap& a_map,
                          const TensorMap& b_map,
                          const Tile& tile,
                          const Origins& from, unsigned k) {
    unsigned stage = step % STAGES;
    unsigned parity = step / STAGES % 2;
    unsigned full = ring.full + 8 * stage;
    barrier_wait(ring.empty + 8 * stage, parity ^ 1);
    barrier_expect(full, tile.is_sum ? B_TILE : A_TILE + B_TILE);
    unsigned a_tile = ring.a_tiles + stage * A_TILE;
    unsigned b_tile = ring.b_tiles + stage * B_TILE;
    if (tile.is_sum) {
        // Ones take A's place.
    } else if (A_ALONG_M) {
        for (unsigned j = 0; j < BM / 64; j++) {
            copy_box(a_tile + j * BOX, a_map, tile.row + 64 * j,
                     from.a + k, full);
        }
    } else {
        copy_box(a_tile, a_map, k, from.a + tile.row, full);
    }
    if (B_ALONG_N) {
        for (unsigned j = 0; j < BN / 64; j++) {
            copy_box(b_tile + j * BOX, b_map,
                     tile.column + 64 * j, from.b + k, full);
        }
    } else {
        copy_box(b_tile, b_map, k, from.b + tile.column, full);
    }
}

// By a consumer, for one step. `ones` are 16 lines of ones.
template <bool A_ALONG_M, bool B_ALONG_N>
__device__ void multiply_step(const Ring& ring, unsigned step,
                              unsigned consumer, bool is_sum,
                              unsigned ones,
                              float (&sums)[128]) {
    unsigned stage = step % STAGES;
    unsigned parity = step / STAGES % 2;
    barrier_wait_warp(ring.full + 8 * stage, parity);
    unsigned a_rows =
        ring.a_tiles + stage * A_TILE + consumer * BOX;
    unsigned b_tile = ring.b_tiles + stage * B_TILE;
    mma_fence();
    #pragma unroll
    for (unsigned k = 0; k < BK; k += 16) {
        unsigned a = A_ALONG_M ? a_rows + k * 128
                               : a_rows + k * 2;
        unsigned b = B_ALONG_N ? b_tile + k * 128
                               : b_tile + k * 2;
        mma_half<A_ALONG_M, B_ALONG_N>(
            sums, descriptor(is_sum ? ones : a, 16),
            descriptor(b, B_ALONG_N ? BOX : 16));
    }
    mma_commit();
}

// All tiles by persistent blocks. `origins` says where a rank's
// matrices begin; `finish` changes sums before they are stored,
// and `keep` stores the sums of B's columns.
template <bool A_ALONG_M, bool B_ALONG_N, bool SUMS,
          typename Where, typename Finish, typename Keep>
__device__ void multiply_layer(const TensorMap& a_map,
                               const TensorMap& b_map,
                               const TensorMap& c_map,
                               const Where& origins,
                               const Finish& finish,
                               const Keep& keep) {
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ unsigned long long barriers[2][STAGES];
    unsigned a_tiles = address(shared);
    unsigned b_tiles = a_tiles + STAGES * A_TILE;
    unsigned c_buffers = b_tiles + STAGES * B_TILE;
    unsigned ones = c_buffers + 2 * CONSUMERS * C_BUFFER;
    Ring ring = {a_tiles, b_tiles,
                 address(barriers[0]), address(barriers[1])};
    unsigned warpgroup = threadIdx.x / 128;
    if (SUMS) {
        f16* all = (f16*)(shared + (ones - a_tiles));
        for (unsigned i = threadIdx.x; i < 16 * 64;
             i += blockDim.x) {
            all[i] = 0x3c00;  // 1
        }
        fence_async();
    }
    if (threadIdx.x == 0) {
        ring_init(ring);
    }
    __syncthreads();

    // Counts on through all tiles, for the producer as for the
    // consumers.
    unsigned step = 0;
    if (warpgroup == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            for (unsigned i = blockIdx.x;
                 i < RANKS * TILES<SUMS>; i += gridDim.x) {
                Tile tile = tile_of<SUMS>(i);
                Origins from = origins(tile.rank);
                for (unsigned k = 0; k < K; k += BK, step++) {
                    load_step<A_ALONG_M, B_ALONG_N>(
                        ring, step, a_map, b_map, tile, from,
                        k);
                }
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        unsigned consumer = warpgroup - 1;
        unsigned buffers = c_buffers + 2 * C_BUFFER * consumer;
        bool is_first = threadIdx.x % 128 == 0;
        for (unsigned i = blockIdx.x; i < RANKS * TILES<SUMS>;
             i += gridDim.x) {
            Tile tile = tile_of<SUMS>(i);
            float sums[128] = {};
            for (unsigned k = 0; k < K; k += BK, step++) {
                multiply_step<A_ALONG_M, B_ALONG_N>(
                    ring, step, consumer, tile.is_sum, ones,
                    sums);
                // While this step runs, the one before is
                // complete, and its place can be filled again.
                mma_wait<1>();
                if (k > 0) {
                    release(ring, step - 1);
                }
            }
            mma_wait<0>();
            release(ring, step - 1);
            if (tile.is_sum) {
                keep(sums, tile, consumer);
                continue;
            }
            unsigned row = tile.row + 64 * consumer;
            finish(sums, tile, row);
            unsigned c_row = origins(tile.rank).c + row;
            #pragma unroll
            for (unsigned box = 0; box < BN / 64; box++) {
                unsigned buffer = buffers + box % 2 * C_BUFFER;
                if (is_first) {
                    // This buffer has been read.
                    asm volatile("cp.async.bulk.wait_group.read "
                                 "1;" ::: "memory");
                }
                warpgroup_sync(warpgroup);
                fill_half(sums + 32 * box, buffer);
                fence_async();
                warpgroup_sync(warpgroup);
                if (is_first) {
                    store_box(c_map, tile.column + 64 * box,
                              c_row, buffer);
                }
            }
        }
        // Shared memory has to outlive the last stores.
        if (is_first) {
            asm volatile("cp.async.bulk.wait_group 0;"
                         ::: "memory");
        }
    }
}
