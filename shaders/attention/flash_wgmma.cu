// Attention without a matrix of scores, for Hopper: O = softmax
// (Q Kᵀ / √D) V. A block takes CONSUMERS x 64 rows of Q, and K
// and V pass by in tiles of BN rows.
// One warp loads; each other warpgroup has 64 rows. While the
// tensor cores multiply for one warpgroup, another computes
// powers; and each has a product of its own under way while it
// does: that of the weights before with V.
// Constants: BATCH, HEADS, KV_HEADS (a divisor of HEADS), S, D
// (64 or 128), CAUSAL (0 or 1: row i sees columns 0 to i).
// q, o: BATCH x HEADS x S x D; k, v: BATCH x KV_HEADS x S x D,
// in bf16; lse: BATCH x HEADS x S, the natural logarithm of the
// sum of powers. counter: two zeros, which are zeros again
// after the kernel.
// Tensor maps, in boxes of rows x columns swizzled over 128
// bytes: q_map, of Q in 64 x 64; k_map and v_map, of K and V in
// BN x 64.
#include "wgmma.cuh"
#include "online.cuh"

// Warpgroups that multiply, and the tiles' sizes.
constexpr unsigned CONSUMERS = D == 64 ? 3 : 2;
constexpr unsigned BM = 64 * CONSUMERS;
constexpr unsigned BN = D == 64 || CAUSAL ? 128 : 160;
// Places for tiles of Q, and for tiles of K and V.
constexpr unsigned Q_PLACES = 2;
constexpr unsigned STAGES = BN > 128 ? 4 : 5;
constexpr unsigned REGISTERS = CONSUMERS == 3 ? 160 : 240;
#include "rows_order.cuh"

// Bytes of 64 rows of Q, and of a tile of K or V; each is in
// boxes of 64 columns.
constexpr unsigned Q_ROWS = 64 * D * 2, TILE = BN * D * 2;
constexpr unsigned Q_BOX = 64 * 128, BOX = BN * 128;

// Addresses in shared memory.
struct Places {
    unsigned q, tiles;            // what is multiplied
    unsigned q_full, q_empty;     // barriers of Q's places
    unsigned full, empty;         // barriers of the ring
};

// A place of the ring, and the parity of its barriers.
struct Turn {
    unsigned stage = 0, parity = 0;
    __device__ void next() {
        stage++;
        if (stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

// How many tiles of K the rows from `row` on see.
__device__ unsigned tiles_seen(unsigned row) {
    unsigned columns = CAUSAL ? min(S, row + BM) : S;
    return (columns + BN - 1) / BN;
}

// By one thread: loads what the consumers multiply, in the
// order in which they do.
__device__ void produce(const Places& at, const TensorMap& q_map,
                        const TensorMap& k_map,
                        const TensorMap& v_map,
                        unsigned (*work)[CONSUMERS],
                        unsigned* counter) {
    Turn turn;
    auto load = [&](const TensorMap& map, unsigned row) {
        unsigned full = at.full + 8 * turn.stage;
        barrier_wait(at.empty + 8 * turn.stage,
                     turn.parity ^ 1);
        barrier_expect(full, TILE);
        #pragma unroll
        for (unsigned i = 0; i < D / 64; i++) {
            copy_box(at.tiles + turn.stage * TILE + i * BOX,
                     map, 64 * i, row, full);
        }
        turn.next();
    };
    unsigned piece = blockIdx.x;
    for (unsigned i = 0;; i++) {
        unsigned place = i % Q_PLACES;
        unsigned parity = i / Q_PLACES % 2;
        bool is_last = piece >= PIECES;
        // In time for the next round.
        unsigned next = is_last ? 0 : next_piece(counter);
        unsigned head, row;
        piece_origin(piece, head, row);
        for (unsigned c = 0; c < CONSUMERS; c++) {
            unsigned barrier = 8 * (place * CONSUMERS + c);
            unsigned full = at.q_full + barrier;
            barrier_wait(at.q_empty + barrier, parity ^ 1);
            work[place][c] = piece;
            if (is_last) {
                barrier_arrive(full);
                continue;
            }
            barrier_expect(full, Q_ROWS);
            unsigned to =
                at.q + (place * CONSUMERS + c) * Q_ROWS;
            #pragma unroll
            for (unsigned j = 0; j < D / 64; j++) {
                copy_box(to + j * Q_BOX, q_map, 64 * j,
                         head * S + row + 64 * c, full);
            }
        }
        if (is_last) break;
        unsigned first = kv_head(head) * S;
        unsigned tile = tiles_seen(row) - 1;
        load(k_map, first + tile * BN);
        for (; tile > 0; tile--) {
            load(k_map, first + (tile - 1) * BN);
            load(v_map, first + tile * BN);
        }
        load(v_map, first);
        piece = next;
    }
    finish_pieces(counter);
}

extern "C" __global__ void
__launch_bounds__(128 * (1 + CONSUMERS), 1)
flash_wgmma(const bf16*, const bf16*, const bf16*,
            bf16* __restrict__ o, float* __restrict__ lse,
            unsigned* counter,
            const __grid_constant__ TensorMap q_map,
            const __grid_constant__ TensorMap k_map,
            const __grid_constant__ TensorMap v_map) {
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ unsigned long long q_barriers[2][Q_PLACES]
                                            [CONSUMERS];
    __shared__ unsigned long long barriers[2][STAGES];
    // The piece of work whose rows of Q are in a place.
    __shared__ unsigned work[Q_PLACES][CONSUMERS];
    Places at;
    at.q = address(shared);
    at.tiles = at.q + Q_PLACES * CONSUMERS * Q_ROWS;
    at.q_full = address(q_barriers[0]);
    at.q_empty = address(q_barriers[1]);
    at.full = address(barriers[0]);
    at.empty = address(barriers[1]);
    unsigned warpgroup = threadIdx.x / 128;
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < Q_PLACES * CONSUMERS; i++) {
            barrier_init(at.q_full + 8 * i, 1);
            barrier_init(at.q_empty + 8 * i, 4);
        }
        for (unsigned i = 0; i < STAGES; i++) {
            barrier_init(at.full + 8 * i, 1);
            barrier_init(at.empty + 8 * i, 4 * CONSUMERS);
        }
        fence_async();
    }
    __syncthreads();

    if (warpgroup == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 0) {
            produce(at, q_map, k_map, v_map, work, counter);
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;"
                 :: "n"(REGISTERS));
    unsigned consumer = warpgroup - 1;
    unsigned lane = threadIdx.x % 32;
    bool is_first_lane = lane == 0;
    // Consumers begin their products in turn. Named barrier
    // 1 + i says that it is consumer i's turn.
    unsigned own_name = 1 + consumer;
    unsigned next_name = 1 + (consumer + 1) % CONSUMERS;
    if (consumer == CONSUMERS - 1) {
        named_arrive(next_name, 256);
    }

    Turn turn;
    auto release = [&](unsigned stage) {
        if (is_first_lane) barrier_arrive(at.empty + 8 * stage);
    };
    float scores[BN / 2], sums[D / 2];
    unsigned weights[BN / 4];
    unsigned long long of_q;

    // Waits for the next tile of K, and begins Q Kᵀ.
    auto begin_scores = [&]() {
        barrier_wait_warp(at.full + 8 * turn.stage,
                          turn.parity);
        auto of_k =
            descriptor(at.tiles + turn.stage * TILE, 16);
        named_wait(own_name, 256);
        mma_fence();
        #pragma unroll
        for (unsigned k = 0; k < D; k += 16) {
            unsigned long long in_line = k % 64 * 2 / 16;
            mma(scores, of_q + k / 64 * (Q_BOX / 16) + in_line,
                of_k + k / 64 * (BOX / 16) + in_line, k > 0);
        }
        mma_commit();
        turn.next();
    };
    // The same for V and the weights: sums += weights V.
    auto begin_sums = [&]() {
        barrier_wait_warp(at.full + 8 * turn.stage,
                          turn.parity);
        auto of_v =
            descriptor(at.tiles + turn.stage * TILE, BOX);
        #pragma unroll
        for (unsigned k = 0; k < BN; k += 16) {
            mma(sums, weights + k / 4, of_v + k * 128 / 16);
        }
        mma_commit();
        turn.next();
    };

    for (unsigned i = 0;; i++) {
        unsigned place = i % Q_PLACES;
        unsigned q_barrier = 8 * (place * CONSUMERS + consumer);
        barrier_wait_warp(at.q_full + q_barrier,
                          i / Q_PLACES % 2);
        unsigned piece = work[place][consumer];
        if (piece >= PIECES) break;
        of_q = descriptor(
            at.q + (place * CONSUMERS + consumer) * Q_ROWS, 16);
        unsigned head, row;
        piece_origin(piece, head, row);
        unsigned tile = tiles_seen(row) - 1;
        row += 64 * consumer;
        // This lane's rows are `own_row` and 8 further.
        unsigned own_row =
            row + threadIdx.x % 128 / 32 * 16 + lane / 4;
        Online online;

        // The last tile, from which on columns may be hidden.
        unsigned stage = turn.stage;
        begin_scores();
        named_arrive(next_name, 256);
        mma_wait<0>();
        pin(scores);
        release(stage);
        online.weigh(scores, own_row, tile * BN, true);
        #pragma unroll
        for (unsigned j = 0; j < BN / 4; j++) {
            weights[j] = pack_bf16(scores[2 * j],
                                   scores[2 * j + 1]);
        }
        #pragma unroll
        for (unsigned j = 0; j < D / 2; j++) sums[j] = 0;

        while (tile > 0) {
            tile--;
            unsigned k_stage = turn.stage;
            begin_scores();
            unsigned v_stage = turn.stage;
            begin_sums();
            named_arrive(next_name, 256);
            // Of the two products, the first is complete.
            mma_wait<1>();
            pin(scores);
            release(k_stage);
            bool is_hidden = CAUSAL && (tile + 1) * BN > row;
            online.weigh(scores, own_row, tile * BN, is_hidden);
            mma_wait<0>();
            pin(sums);
            release(v_stage);
            #pragma unroll
            for (unsigned j = 0; j < BN / 4; j++) {
                weights[j] = pack_bf16(scores[2 * j],
                                       scores[2 * j + 1]);
            }
            online.rescale(sums);
        }
        // Q may be replaced.
        if (is_first_lane) {
            barrier_arrive(at.q_empty + q_barrier);
        }
        stage = turn.stage;
        mma_fence();
        begin_sums();
        mma_wait<0>();
        pin(sums);
        release(stage);
        online.finish();
        online.store(sums, o, lse, head, own_row);
    }
}
