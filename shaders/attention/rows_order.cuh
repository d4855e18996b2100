// The pieces of work, a head's BM rows of Q each, and the order
// in which blocks take them: heads in groups whose K and V fit
// in the L2, and in a group the rows that see the most columns
// first, so that the last pieces are short.
#pragma once

constexpr unsigned ROW_TILES = (S + BM - 1) / BM;
constexpr unsigned ALL_HEADS = BATCH * HEADS;
constexpr unsigned PIECES = ROW_TILES * ALL_HEADS;
constexpr unsigned SHARERS = HEADS / KV_HEADS;

// Heads in a group: 32 MB of K and V.
constexpr unsigned L2_HEADS = (32u << 20) / (4 * S * D) * SHARERS;
constexpr unsigned GROUP =
    L2_HEADS < 1 ? 1 : L2_HEADS < ALL_HEADS ? L2_HEADS
                                            : ALL_HEADS;

__device__ void piece_origin(unsigned piece, unsigned& head,
                             unsigned& row) {
    unsigned group = piece / (GROUP * ROW_TILES);
    unsigned in_group = piece % (GROUP * ROW_TILES);
    // The last group may have fewer heads.
    unsigned heads = min(GROUP, ALL_HEADS - group * GROUP);
    head = group * GROUP + in_group % heads;
    row = (ROW_TILES - 1 - in_group / heads) * BM;
}

// Which of K's and V's heads a head reads.
__device__ unsigned kv_head(unsigned head) {
    return head / SHARERS;
}

// Each block begins with the piece of its own number, and then
// takes the next that no other has taken.
__device__ unsigned next_piece(unsigned* counter) {
    return gridDim.x + atomicAdd(counter, 1);
}

// When all blocks have finished, the counters are zeros again.
__device__ void finish_pieces(unsigned* counter) {
    __threadfence();
    if (atomicAdd(counter + 1, 1) == gridDim.x - 1) {
        counter[0] = 0;
        counter[1] = 0;
    }
}
