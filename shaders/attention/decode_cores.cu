// One query for each head, and a cache of S keys and values:
// the cache is read once, by all the query heads that share it,
// and is all that takes time. So that each multiprocessor reads
// as much as any other, the tiles of all caches are one line,
// cut into equal parts, one for each block. A cache that is cut
// has its parts joined, by (maximum, total, sums), by the block
// that is the last to finish one. With a number of blocks that
// is a multiple or a divisor of the number of caches, no block
// has tiles of two caches that are cut: 128 blocks are faster
// than 132.
// One warp loads tiles of 64 keys and of their values; each of
// four has 16 of these keys, and the rows of its products are
// the query heads, 16 or fewer.
// Constants: BATCH, HEADS, KV_HEADS (a divisor of HEADS), S, D
// (64 or 128).
// q, o: BATCH x HEADS x D; k, v: BATCH x KV_HEADS x S x D, in
// bf16. parts: for each block two times SHARERS x (D + 4) floats;
// finished: BATCH x KV_HEADS zeros, which are zeros again after
// the kernel.
// Tensor maps, in boxes of rows x columns swizzled over 128
// bytes: k_map and v_map, of K and V in 64 x 64.
#include "wgmma.cuh"
#include "warp_mma.cuh"

constexpr unsigned BN = 64, WARPS = BN / 16;
constexpr unsigned SHARERS = HEADS / KV_HEADS;
// Rows of 16 query heads, of which the last may be unused.
constexpr unsigned BLOCKS = (SHARERS + 15) / 16;
constexpr unsigned BOX = BN * 128, TILE = BN * D * 2;
// Places for tiles: 64 KB of K and V. With more under way, the
// multiprocessors' shares of the bandwidth differ more, and the
// kernel takes longer.
constexpr unsigned STAGES = 2 * 32768 / (2 * TILE);

constexpr unsigned CACHES = BATCH * KV_HEADS;
// Tiles of one cache, and of all.
constexpr unsigned LENGTH = (S + BN - 1) / BN;
constexpr unsigned TILES = CACHES * LENGTH;

constexpr float INFINITE =
    __builtin_bit_cast(float, 0x7f800000);
// Scores are divided by √D, and powers are of 2.
constexpr float SCALE =
    1.4426950408889634f * (D == 64 ? 0.125f
                                   : 0.08838834764831845f);

// A part of a query head: its sums, maximum and total, and two
// unused, so that the next is at a multiple of 16 bytes.
constexpr unsigned PART = D + 4;
// Parts that are read at once, when they are joined.
constexpr unsigned READ = 10;

// The first tile of a block's part of the line, and the block
// that has a tile.
__device__ unsigned first_tile(unsigned block) {
    return (unsigned long long)block * TILES / gridDim.x;
}
__device__ unsigned owner(unsigned tile) {
    return ((unsigned long long)(tile + 1) * gridDim.x - 1)
           / TILES;
}

// What a warp knows of its keys: for each query head the
// maximum, the total of the powers, and the sums of V. A lane
// has query heads lane / 4 and 8 further of each block, and two
// of each 8 columns.
struct Known {
    float maximum[BLOCKS][2], total[BLOCKS][2];
    float sums[BLOCKS][D / 8][4];

    __device__ __forceinline__ void clear() {
        #pragma unroll
        for (unsigned i = 0; i < BLOCKS; i++) {
            #pragma unroll
            for (unsigned h = 0; h < 2; h++) {
                maximum[i][h] = -INFINITE;
                total[i][h] = 0;
            }
            #pragma unroll
            for (unsigned j = 0; j < D / 8; j++) {
                #pragma unroll
                for (unsigned e = 0; e < 4; e++) {
                    sums[i][j][e] = 0;
                }
            }
        }
    }
};

// Where 16 bytes of a tile are: those at `chunk` of a row.
__device__ __forceinline__ unsigned swizzled(unsigned tile,
                                             unsigned row,
                                             unsigned chunk) {
    return tile + chunk / 8 * BOX + row * 128
           + (chunk % 8 ^ row % 8) * 16;
}

// Adds 16 keys, from `key` of the cache on, to what is known.
__device__ __forceinline__ void add_keys(
        Known& known, const unsigned (&q)[BLOCKS][D / 16][4],
        unsigned k_tile, unsigned v_tile, unsigned row,
        unsigned key) {
    unsigned lane = threadIdx.x % 32;
    float scores[BLOCKS][2][4] = {};
    #pragma unroll
    for (unsigned k = 0; k < D / 16; k++) {
        unsigned of_k[4];
        ldmatrix(of_k,
                 swizzled(k_tile,
                          row + lane / 16 * 8 + lane % 8,
                          2 * k + lane / 8 % 2));
        #pragma unroll
        for (unsigned i = 0; i < BLOCKS; i++) {
            warp_mma(scores[i][0], q[i][k], of_k[0], of_k[1]);
            warp_mma(scores[i][1], q[i][k], of_k[2], of_k[3]);
        }
    }
    unsigned weights[BLOCKS][4];
    #pragma unroll
    for (unsigned i = 0; i < BLOCKS; i++) {
        float powers[2][2][2];
        #pragma unroll
        for (unsigned h = 0; h < 2; h++) {
            // The second half of the rows may be unused.
            bool is_used = 16 * i + 8 * h < SHARERS;
            float most = known.maximum[i][h];
            #pragma unroll
            for (unsigned e = 0; e < 4; e++) {
                float& score = scores[i][e / 2][2 * h + e % 2];
                unsigned at = key + e / 2 * 8 + lane % 4 * 2
                              + e % 2;
                if (at >= S) score = -INFINITE;
                most = fmaxf(most, score);
            }
            if (is_used) {
                most = fmaxf(
                    most, __shfl_xor_sync(0xffffffff, most, 1));
                most = fmaxf(
                    most, __shfl_xor_sync(0xffffffff, most, 2));
                // -∞ as long as no key has counted.
                float from = most == -INFINITE ? 0
                                               : most * SCALE;
                bool grows = most > known.maximum[i][h];
                if (__any_sync(0xffffffff, grows)) {
                    float factor = power_of_2(
                        known.maximum[i][h] * SCALE - from);
                    known.maximum[i][h] = most;
                    known.total[i][h] *= factor;
                    #pragma unroll
                    for (unsigned j = 0; j < D / 8; j++) {
                        known.sums[i][j][2 * h] *= factor;
                        known.sums[i][j][2 * h + 1] *= factor;
                    }
                }
                #pragma unroll
                for (unsigned e = 0; e < 4; e++) {
                    float power = power_of_2(
                        fmaf(scores[i][e / 2][2 * h + e % 2],
                             SCALE, -from));
                    powers[e / 2][h][e % 2] = power;
                    known.total[i][h] += power;
                }
            } else {
                #pragma unroll
                for (unsigned e = 0; e < 4; e++) {
                    powers[e / 2][h][e % 2] = 0;
                }
            }
        }
        #pragma unroll
        for (unsigned e = 0; e < 4; e++) {
            weights[i][e] = pack_bf16(powers[e / 2][e % 2][0],
                                      powers[e / 2][e % 2][1]);
        }
    }
    #pragma unroll
    for (unsigned j = 0; j < D / 16; j++) {
        unsigned of_v[4];
        ldmatrix_transposed(of_v,
                            swizzled(v_tile, row + lane % 16,
                                     2 * j + lane / 16));
        #pragma unroll
        for (unsigned i = 0; i < BLOCKS; i++) {
            warp_mma(known.sums[i][2 * j], weights[i],
                     of_v[0], of_v[1]);
            warp_mma(known.sums[i][2 * j + 1], weights[i],
                     of_v[2], of_v[3]);
        }
    }
}

// A query head's maximum, total, and four columns of its sums.
struct Joined {
    float maximum, total;
    float4 sums;
};

// The four warps' threads, and no others.
__device__ void warps_sync() { named_wait(1, 32 * WARPS); }

// Joins what the warps know of a query head, four of its
// columns.
__device__ Joined join_warps(const float (*known)[SHARERS][PART],
                             unsigned head, unsigned column) {
    Joined all = {-INFINITE, 0, {0, 0, 0, 0}};
    #pragma unroll
    for (unsigned i = 0; i < WARPS; i++) {
        all.maximum = fmaxf(all.maximum, known[i][head][D]);
    }
    #pragma unroll
    for (unsigned i = 0; i < WARPS; i++) {
        const float* own = known[i][head];
        // No key of a warp may have counted.
        float factor = own[D] == -INFINITE
            ? 0 : power_of_2((own[D] - all.maximum) * SCALE);
        all.total += factor * own[D + 1];
        float4 sums = *(const float4*)(own + column);
        all.sums.x += factor * sums.x;
        all.sums.y += factor * sums.y;
        all.sums.z += factor * sums.z;
        all.sums.w += factor * sums.w;
    }
    return all;
}

// Four columns of O.
__device__ void store(bf16* to, float4 sums, float factor) {
    *(uint2*)to =
        make_uint2(pack_bf16(sums.x * factor, sums.y * factor),
                   pack_bf16(sums.z * factor, sums.w * factor));
}

// Joins all parts of a cache, those of `count` blocks from
// `from` on.
__device__ void join_parts(const float* parts, unsigned from,
                           unsigned count, unsigned cache,
                           bf16* to) {
    // The first block's part is its second, if it began with
    // the cache before. The others began with this cache.
    unsigned second = first_tile(from) < cache * LENGTH;
    for (unsigned i = 4 * threadIdx.x; i < SHARERS * D;
         i += 4 * 32 * WARPS) {
        unsigned head = i / D, column = i % D;
        Joined all = {-INFINITE, 0, {0, 0, 0, 0}};
        for (unsigned first = 0; first < count; first += READ) {
            float2 known[READ];
            float4 sums[READ];
            float most = all.maximum;
            #pragma unroll
            for (unsigned j = 0; j < READ; j++) {
                unsigned k = first + j;
                known[j] = {-INFINITE, 0};
                sums[j] = {0, 0, 0, 0};
                if (k < count) {
                    unsigned at =
                        2 * (from + k) + (k == 0 ? second : 0);
                    const float* part =
                        parts + (at * SHARERS + head) * PART;
                    known[j] = *(const float2*)(part + D);
                    sums[j] = *(const float4*)(part + column);
                }
            }
            #pragma unroll
            for (unsigned j = 0; j < READ; j++) {
                most = fmaxf(most, known[j].x);
            }
            float factor =
                power_of_2((all.maximum - most) * SCALE);
            all = {most, all.total * factor,
                   {all.sums.x * factor, all.sums.y * factor,
                    all.sums.z * factor, all.sums.w * factor}};
            #pragma unroll
            for (unsigned j = 0; j < READ; j++) {
                factor = power_of_2((known[j].x - most) * SCALE);
                all.total += factor * known[j].y;
                all.sums.x += factor * sums[j].x;
                all.sums.y += factor * sums[j].y;
                all.sums.z += factor * sums[j].z;
                all.sums.w += factor * sums[j].w;
            }
        }
        store(to + i, all.sums, 1 / all.total);
    }
}

// Adds to a number in memory and returns what it was. What
// other threads wrote before they added is seen from here on.
__device__ unsigned add_in_order(unsigned* to, unsigned value) {
    unsigned before;
    asm volatile("atom.acq_rel.gpu.global.add.u32 "
                 "%0, [%1], %2;"
                 : "=r"(before) : "l"(to), "r"(value)
                 : "memory");
    return before;
}

extern "C" __global__ void __launch_bounds__(32 * (WARPS + 1))
decode_cores(const bf16* __restrict__ q, const bf16*, const bf16*,
       bf16* __restrict__ o, float* parts, unsigned* finished,
       const __grid_constant__ TensorMap k_map,
       const __grid_constant__ TensorMap v_map) {
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ unsigned long long barriers[2][STAGES];
    __shared__ bool is_last;
    unsigned tiles = address(shared);
    unsigned full = address(barriers[0]);
    unsigned empty = address(barriers[1]);
    // For each warp and query head: sums, maximum, total.
    auto of_warps = (float (*)[SHARERS][PART])(
        shared + STAGES * 2 * TILE);
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < STAGES; i++) {
            barrier_init(full + 8 * i, 1);
            barrier_init(empty + 8 * i, WARPS);
        }
        fence_async();
    }
    __syncthreads();
    unsigned first = first_tile(blockIdx.x);
    unsigned end = first_tile(blockIdx.x + 1);

    if (warp == WARPS) {
        if (lane > 0) return;
        for (unsigned tile = first; tile < end; tile++) {
            unsigned step = tile - first, stage = step % STAGES;
            barrier_wait(empty + 8 * stage,
                         step / STAGES % 2 ^ 1);
            barrier_expect(full + 8 * stage, 2 * TILE);
            unsigned row = tile / LENGTH * S
                           + tile % LENGTH * BN;
            unsigned to = tiles + stage * 2 * TILE;
            #pragma unroll
            for (unsigned i = 0; i < D / 64; i++) {
                copy_box_once(to + i * BOX, k_map, 64 * i, row,
                              full + 8 * stage);
                copy_box_once(to + TILE + i * BOX, v_map,
                              64 * i, row, full + 8 * stage);
            }
        }
        return;
    }

    for (unsigned tile = first; tile < end;) {
        unsigned cache = tile / LENGTH;
        unsigned begin = tile;
        unsigned stop = min(end, (cache + 1) * LENGTH);
        // The query heads of this cache are neighbours.
        const bf16* of_q = q + cache * SHARERS * D;
        unsigned own_q[BLOCKS][D / 16][4];
        #pragma unroll
        for (unsigned i = 0; i < BLOCKS * D / 16 * 4; i++) {
            unsigned block = i / (D / 16 * 4);
            unsigned head =
                16 * block + i % 2 * 8 + lane / 4;
            unsigned column = i / 4 % (D / 16) * 16
                              + i % 4 / 2 * 8 + lane % 4 * 2;
            own_q[block][i / 4 % (D / 16)][i % 4] =
                head < SHARERS
                    ? *(const unsigned*)(of_q + head * D + column)
                    : 0;
        }
        Known known;
        known.clear();
        for (; tile < stop; tile++) {
            unsigned step = tile - first, stage = step % STAGES;
            barrier_wait_warp(full + 8 * stage,
                              step / STAGES % 2);
            unsigned k_tile = tiles + stage * 2 * TILE;
            add_keys(known, own_q, k_tile, k_tile + TILE,
                     16 * warp, tile % LENGTH * BN + 16 * warp);
            __syncwarp();
            if (lane == 0) barrier_arrive(empty + 8 * stage);
        }

        // What the four warps know, to shared memory.
        #pragma unroll
        for (unsigned i = 0; i < 2 * BLOCKS; i++) {
            unsigned block = i / 2, h = i % 2;
            if (8 * i >= SHARERS) break;
            float total = known.total[block][h];
            total += __shfl_xor_sync(0xffffffff, total, 1);
            total += __shfl_xor_sync(0xffffffff, total, 2);
            unsigned head = 8 * i + lane / 4;
            if (head >= SHARERS) continue;
            float* to = of_warps[warp][head];
            #pragma unroll
            for (unsigned j = 0; j < D / 8; j++) {
                const float* own = known.sums[block][j] + 2 * h;
                *(float2*)(to + 8 * j + lane % 4 * 2) =
                    make_float2(own[0], own[1]);
            }
            if (lane % 4 == 0) {
                to[D] = known.maximum[block][h];
                to[D + 1] = total;
            }
        }
        warps_sync();
        bool is_whole = stop - begin == LENGTH;
        bf16* of_o = o + cache * SHARERS * D;
        float* part = parts + (2 * blockIdx.x + (begin > first))
                                  * SHARERS * PART;
        for (unsigned i = 4 * threadIdx.x; i < SHARERS * D;
             i += 4 * 32 * WARPS) {
            unsigned head = i / D, column = i % D;
            Joined all = join_warps(of_warps, head, column);
            if (is_whole) {
                store(of_o + i, all.sums, 1 / all.total);
                continue;
            }
            float* to = part + head * PART;
            *(float4*)(to + column) = all.sums;
            if (column == 0) {
                to[D] = all.maximum;
                to[D + 1] = all.total;
            }
        }
        if (!is_whole) {
            // The last block that has a part joins them all.
            unsigned from = owner(cache * LENGTH);
            unsigned to = owner((cache + 1) * LENGTH - 1);
            warps_sync();
            if (threadIdx.x == 0) {
                is_last =
                    add_in_order(finished + cache, 1) == to - from;
                if (is_last) finished[cache] = 0;
            }
            warps_sync();
            if (is_last) {
                join_parts(parts, from, to - from + 1, cache,
                           of_o);
            }
        }
        warps_sync();
    }
}
