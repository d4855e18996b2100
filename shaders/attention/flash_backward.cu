// Attention's backward for Hopper. A block has BN rows of K and
// V, and Q and dO pass by in tiles of BQ rows. Of each tile the
// powers are computed again, from the logarithms that the
// forward pass kept:
//   Pᵀ = 2^(K Qᵀ - lse), dV += Pᵀ dO, dPᵀ = V dOᵀ,
//   dSᵀ = Pᵀ ∘ (dPᵀ - rowsum(dO∘O)), dK += dSᵀ Q, dQ += dS K.
// A block alone writes its rows of dK and dV. All blocks add to
// dQ, by atomic additions in f32.
// One warp loads; two warpgroups have 64 rows of K each. What a
// warpgroup computes itself, it computes while its products for
// the tile before or after are under way.
// Constants: BATCH, HEADS, KV_HEADS (a divisor of HEADS), S, D
// (64 or 128), CAUSAL (0 or 1).
// q, o_gradient: BATCH x HEADS x S x D; k, v and their
// gradients: BATCH x KV_HEADS x S x D, in bf16. stats and sums:
// see backward.cuh; flash_backward_before has filled them.
// Tensor maps, in boxes of 64 x 64 swizzled over 128 bytes:
// q_map, g_map (of o_gradient), k_map, v_map.
#include "backward.cuh"
#include "rows.cuh"
#include "wgmma.cuh"

constexpr unsigned CONSUMERS = 2, BN = 64 * CONSUMERS;
constexpr unsigned Q_PLACES = 3, G_PLACES = 2;

// Bytes: of K or V, in boxes of 64 columns; of a tile of Q or
// dO, likewise; of dSᵀ.
constexpr unsigned KV = BN * D * 2, KV_BOX = BN * 128;
constexpr unsigned TILE = BQ * D * 2, BOX = BQ * 128;
constexpr unsigned DS = BN * BQ * 2;
constexpr unsigned STATS_BYTES = STATS * 4;

// Addresses in shared memory.
struct Places {
    unsigned k, v, q, g, ds, stats;
    unsigned kv_full, q_full, q_empty, g_full, g_empty;
};

// A place of a ring, and the parity of its barriers.
template <unsigned PLACES>
struct Turn {
    unsigned place = 0, parity = 0;
    __device__ void next() {
        place++;
        if (place == PLACES) {
            place = 0;
            parity ^= 1;
        }
    }
};

// Bytes in a row, without a tensor map.
__device__ void copy_bytes(unsigned to, const void* from,
                           unsigned bytes, unsigned barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global"
                 ".mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];"
                 :: "r"(to), "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

// Adds four numbers to four in memory.
__device__ void add_four(float* to, const float* own) {
    asm volatile("red.relaxed.gpu.global.add.v4.f32 "
                 "[%0], {%1, %2, %3, %4};"
                 :: "l"(to), "f"(own[0]), "f"(own[1]),
                    "f"(own[2]), "f"(own[3]) : "memory");
}

// Four 8 x 8 matrices from a warp's registers to shared memory.
// Lane l says where row l % 8 of matrix l / 8 starts.
__device__ void store_matrices(unsigned row_address,
                               const unsigned* own) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 "
                 "[%0], {%1, %2, %3, %4};"
                 :: "r"(row_address), "r"(own[0]), "r"(own[1]),
                    "r"(own[2]), "r"(own[3]) : "memory");
}

__device__ __forceinline__ float2 load_two(unsigned from) {
    float2 two;
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];"
                 : "=f"(two.x), "=f"(two.y) : "r"(from));
    return two;
}

// The tiles of Q that a block's rows of K are seen by, for each
// query head: from `first` on, but `tile` is the one that the
// block begins with. Blocks that run at the same time begin
// with different ones, so that they do not add to one dQ.
struct Tiles {
    unsigned first, tile, head, left;
    __device__ Tiles(unsigned row, unsigned kv_head) {
        first = CAUSAL ? row / BQ : 0;
        tile = CAUSAL ? first : row / BN * Q_TILES / gridDim.x;
        head = kv_head * SHARERS;
        left = Q_TILES - first;
    }
    __device__ unsigned count() const {
        return SHARERS * (Q_TILES - first);
    }
    // After the last tile comes the first, and after all of
    // them the next query head.
    __device__ void next() {
        tile++;
        if (tile == Q_TILES) tile = first;
        left--;
        if (left == 0) {
            left = Q_TILES - first;
            head++;
        }
    }
};

// By one thread: loads K and V once, then Q and dO by tiles.
__device__ void produce(const Places& at, unsigned row,
                        unsigned kv_head, const float* stats,
                        const TensorMap& q_map,
                        const TensorMap& g_map,
                        const TensorMap& k_map,
                        const TensorMap& v_map) {
    barrier_expect(at.kv_full, 2 * KV);
    #pragma unroll
    for (unsigned i = 0; i < D / 64; i++) {
        #pragma unroll
        for (unsigned j = 0; j < CONSUMERS; j++) {
            unsigned to = i * KV_BOX + j * 64 * 128;
            unsigned from = kv_head * S + row + 64 * j;
            copy_box(at.k + to, k_map, 64 * i, from, at.kv_full);
            copy_box(at.v + to, v_map, 64 * i, from, at.kv_full);
        }
    }
    Turn<Q_PLACES> q_turn;
    Turn<G_PLACES> g_turn;
    Tiles tiles(row, kv_head);
    for (unsigned i = tiles.count(); i > 0; i--) {
        unsigned from = tiles.head * S + tiles.tile * BQ;
        unsigned full = at.q_full + 8 * q_turn.place;
        barrier_wait(at.q_empty + 8 * q_turn.place,
                     q_turn.parity ^ 1);
        barrier_expect(full, TILE + STATS_BYTES);
        unsigned to = at.q + q_turn.place * TILE;
        #pragma unroll
        for (unsigned i = 0; i < D / 64; i++) {
            copy_box(to + i * BOX, q_map, 64 * i, from, full);
        }
        copy_bytes(at.stats + q_turn.place * STATS_BYTES,
                   stats + ((unsigned long long)tiles.head
                            * Q_TILES + tiles.tile) * STATS,
                   STATS_BYTES, full);
        q_turn.next();
        full = at.g_full + 8 * g_turn.place;
        barrier_wait(at.g_empty + 8 * g_turn.place,
                     g_turn.parity ^ 1);
        barrier_expect(full, TILE);
        to = at.g + g_turn.place * TILE;
        #pragma unroll
        for (unsigned i = 0; i < D / 64; i++) {
            copy_box(to + i * BOX, g_map, 64 * i, from, full);
        }
        g_turn.next();
        tiles.next();
    }
}

extern "C" __global__ void
__launch_bounds__(128 * (1 + CONSUMERS), 1)
flash_backward(const bf16*, const bf16*, const bf16*,
               const bf16*, const float* __restrict__ stats,
               float* __restrict__ sums,
               bf16* __restrict__ k_gradient,
               bf16* __restrict__ v_gradient,
               const __grid_constant__ TensorMap q_map,
               const __grid_constant__ TensorMap g_map,
               const __grid_constant__ TensorMap k_map,
               const __grid_constant__ TensorMap v_map) {
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ unsigned long long kv_barrier;
    __shared__ unsigned long long q_barriers[2][Q_PLACES];
    __shared__ unsigned long long g_barriers[2][G_PLACES];
    Places at;
    at.k = address(shared);
    at.v = at.k + KV;
    at.q = at.v + KV;
    at.g = at.q + Q_PLACES * TILE;
    at.ds = at.g + G_PLACES * TILE;
    at.stats = at.ds + 2 * DS;
    at.kv_full = address(&kv_barrier);
    at.q_full = address(q_barriers[0]);
    at.q_empty = address(q_barriers[1]);
    at.g_full = address(g_barriers[0]);
    at.g_empty = address(g_barriers[1]);
    if (threadIdx.x == 0) {
        barrier_init(at.kv_full, 1);
        for (unsigned i = 0; i < Q_PLACES; i++) {
            barrier_init(at.q_full + 8 * i, 1);
            barrier_init(at.q_empty + 8 * i, 4 * CONSUMERS);
        }
        for (unsigned i = 0; i < G_PLACES; i++) {
            barrier_init(at.g_full + 8 * i, 1);
            barrier_init(at.g_empty + 8 * i, 4 * CONSUMERS);
        }
        fence_async();
    }
    __syncthreads();
    unsigned block_row = blockIdx.x * BN, kv_head = blockIdx.y;
    unsigned warpgroup = threadIdx.x / 128;
    if (warpgroup == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 0) {
            produce(at, block_row, kv_head, stats, q_map, g_map,
                    k_map, v_map);
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    unsigned consumer = warpgroup - 1;
    unsigned thread = threadIdx.x % 128;
    unsigned lane = threadIdx.x % 32;
    // This lane's rows of K are `own_row` and 8 further.
    unsigned row = block_row + 64 * consumer;
    unsigned own_row = row + thread / 32 * 16 + lane / 4;
    // How the products read K, V, and dS.
    auto rows_of_k = descriptor(at.k + consumer * 64 * 128, 16);
    auto rows_of_v = descriptor(at.v + consumer * 64 * 128, 16);
    // Its half of K's columns, for dQ.
    unsigned half = consumer * D / 2;
    auto half_of_k = descriptor(
        at.k + half / 64 * KV_BOX + half % 64 * 2, KV_BOX);
    // Where the lane's row of dSᵀ is, for a matrix of 8 x 8.
    unsigned ds_row = (64 * consumer + thread / 32 * 16
                       + lane % 16) * 128;

    float of_k[D / 2], of_v[D / 2];  // dK, dV
    float powers[BQ / 2], slopes[BQ / 2];  // P, dP
    float of_q[D / 4];  // half of dQ's columns
    unsigned weights[BQ / 4];  // P
    #pragma unroll
    for (unsigned i = 0; i < D / 2; i++) {
        of_k[i] = 0;
        of_v[i] = 0;
    }

    Turn<Q_PLACES> q_turn, s_turn;  // s_turn: one tile ahead
    Turn<G_PLACES> g_turn, p_turn;  // of dPᵀ
    // The tile that is ahead, and the tile whose dQ is added.
    Tiles ahead(block_row, kv_head), added = ahead;
    unsigned steps = ahead.count();

    auto begin_scores = [&](bool is_there) {  // powers = K Qᵀ
        if (is_there) {
            barrier_wait_warp(at.q_full + 8 * s_turn.place,
                              s_turn.parity);
        }
        auto q = descriptor(at.q + s_turn.place * TILE, 16);
        #pragma unroll
        for (unsigned k = 0; k < D; k += 16) {
            unsigned long long in_line = k % 64 * 2 / 16;
            mma(powers, rows_of_k + k / 64 * (KV_BOX / 16)
                            + in_line,
                q + k / 64 * (BOX / 16) + in_line, k > 0);
        }
        mma_commit();
    };
    auto begin_slopes = [&]() {  // slopes = V dOᵀ
        barrier_wait_warp(at.g_full + 8 * p_turn.place,
                          p_turn.parity);
        auto g = descriptor(at.g + p_turn.place * TILE, 16);
        #pragma unroll
        for (unsigned k = 0; k < D; k += 16) {
            unsigned long long in_line = k % 64 * 2 / 16;
            mma(slopes, rows_of_v + k / 64 * (KV_BOX / 16)
                            + in_line,
                g + k / 64 * (BOX / 16) + in_line, k > 0);
        }
        mma_commit();
        p_turn.next();
    };
    // Scores to powers, and these to bf16. If there are no
    // more, the turn stays at the last tile.
    auto weigh = [&](bool are_more) {
        unsigned stats_at = at.stats + s_turn.place * STATS_BYTES
                            + lane % 4 * 8;
        #pragma unroll
        for (unsigned j = 0; j < BQ / 8; j++) {
            float2 lse = load_two(stats_at + 32 * j);
            #pragma unroll
            for (unsigned e = 0; e < 4; e++) {
                float& p = powers[4 * j + e];
                p = power_of_2(
                    fmaf(p, LOG2_E * ROOT,
                         -(e % 2 ? lse.y : lse.x)));
            }
        }
        bool is_hidden = (CAUSAL && ahead.tile * BQ < row + 64)
                         || row + 64 > S;
        if (is_hidden) {
            #pragma unroll
            for (unsigned i = 0; i < BQ / 2; i++) {
                unsigned of_q = ahead.tile * BQ + i / 4 * 8
                                + lane % 4 * 2 + i % 2;
                unsigned of_k = own_row + i % 4 / 2 * 8;
                if (of_k >= S || (CAUSAL && of_k > of_q)) {
                    powers[i] = 0;
                }
            }
        }
        #pragma unroll
        for (unsigned i = 0; i < BQ / 4; i++) {
            weights[i] = pack_bf16(powers[2 * i],
                                   powers[2 * i + 1]);
        }
        if (are_more) s_turn.next();
        ahead.next();
    };
    auto release = [&](unsigned barrier) {
        if (lane == 0) barrier_arrive(barrier);
    };

    barrier_wait_warp(at.kv_full, 0);
    mma_fence();
    begin_scores(true);
    mma_wait<0>();
    pin(powers);
    weigh(steps > 1);
    for (unsigned step = 0; step < steps; step++) {
        // dV += Pᵀ dO, and the scores of the next tile.
        auto g = descriptor(at.g + g_turn.place * TILE, BOX);
        mma_fence();
        begin_slopes();
        #pragma unroll
        for (unsigned k = 0; k < BQ; k += 16) {
            mma(of_v, weights + k / 4, g + k * 128 / 16);
        }
        mma_commit();
        // After the last tile this multiplies that tile again,
        // and nothing uses the result.
        begin_scores(step + 1 < steps);
        mma_wait<2>();
        pin(slopes);

        // dSᵀ, from the powers as they were multiplied, 16 of
        // its columns at a time.
        unsigned stats_at = at.stats + q_turn.place * STATS_BYTES
                            + BQ * 4 + lane % 4 * 8;
        unsigned ds = at.ds + step % 2 * DS;
        #pragma unroll
        for (unsigned j = 0; j < BQ / 16; j++) {
            unsigned changes[4];
            #pragma unroll
            for (unsigned i = 0; i < 4; i++) {
                float2 dot = load_two(stats_at + 64 * j
                                      + i / 2 * 32);
                unsigned pair = weights[4 * j + i];
                const float* slope = slopes + 8 * j + 2 * i;
                float left = __uint_as_float(pair << 16);
                float right =
                    __uint_as_float(pair & 0xffff0000);
                changes[i] =
                    pack_bf16(left * (slope[0] - dot.x),
                              right * (slope[1] - dot.y));
            }
            unsigned chunk = 2 * j + lane / 16;
            store_matrices(ds + ds_row
                               + (chunk ^ lane % 8) * 16,
                           changes);
        }
        fence_async();
        // Both halves of dSᵀ are there.
        named_wait(1, 128 * CONSUMERS);

        // dK += dSᵀ Q, dQ = dS K.
        auto q = descriptor(at.q + q_turn.place * TILE, BOX);
        auto d = descriptor(ds, BOX);
        auto own_d = descriptor(ds + consumer * 64 * 128, 16);
        mma_fence();
        #pragma unroll
        for (unsigned k = 0; k < BQ; k += 16) {
            mma<0, 1>(of_k, own_d + k * 2 / 16,
                      q + k * 128 / 16, 1);
        }
        mma_commit();
        #pragma unroll
        for (unsigned k = 0; k < BN; k += 16) {
            mma<1, 1>(of_q, d + k * 128 / 16,
                      half_of_k + k * 128 / 16, k > 0);
        }
        mma_commit();
        // dV is done, and the scores are.
        mma_wait<2>();
        pin(of_v);
        release(at.g_empty + 8 * g_turn.place);
        g_turn.next();
        pin(powers);
        weigh(step + 2 < steps);
        mma_wait<0>();
        pin(of_k);
        pin(of_q);
        release(at.q_empty + 8 * q_turn.place);
        q_turn.next();
        float* to = sums
                    + ((unsigned long long)added.head * Q_TILES
                       + added.tile) * 2 * DQ_HALF
                    + consumer * DQ_HALF + thread * 4;
        #pragma unroll
        for (unsigned i = 0; i < D / 4; i += 4) {
            add_four(to + i * 128, of_q + i);
        }
        added.next();
    }
    #pragma unroll
    for (unsigned h = 0; h < 2; h++) {
        unsigned to = own_row + 8 * h;
        unsigned long long start =
            ((unsigned long long)kv_head * S + to) * D;
        store_row(k_gradient + start, of_k + 2 * h, ROOT,
                  to < S);
        store_row(v_gradient + start, of_v + 2 * h, 1, to < S);
    }
}
