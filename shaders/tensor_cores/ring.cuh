// A ring of STAGES places for tiles between one producer, which
// loads, and CONSUMERS warpgroups, which multiply. Each place
// has two barriers: `full`, for which the consumers wait, and
// `empty`, for which the producer waits.
#pragma once
#include "hopper.cuh"

constexpr unsigned BM = 128, BN = 256;
constexpr unsigned BK = 64;  // 128 bytes, the swizzle's width
constexpr unsigned STAGES = 4;
// Bytes of a tile.
constexpr unsigned A_TILE = BM * BK * 2, B_TILE = BK * BN * 2;
// Bytes of 64 rows of A's tile, or of 64 columns of B's.
constexpr unsigned BOX = 64 * BK * 2;
// Warpgroups that multiply, 64 rows each.
constexpr unsigned CONSUMERS = BM / 64;

// Addresses in shared memory: tiles, and barriers of 8 bytes.
struct Ring {
    unsigned a_tiles, b_tiles;
    unsigned full, empty;
};

// By one thread, before any other uses the ring.
__device__ void ring_init(const Ring& ring) {
    for (unsigned stage = 0; stage < STAGES; stage++) {
        // The producer arrives, and the bytes do.
        barrier_init(ring.full + 8 * stage, 1);
        // Each warp of the consumers arrives.
        barrier_init(ring.empty + 8 * stage, 4 * CONSUMERS);
    }
    fence_async();
}

// By the producer, for one step: waits until the step's place
// is empty, and has the copy engine load both tiles from k on.
__device__ void load_tiles(const Ring& ring, unsigned step,
                           const TensorMap& a_map,
                           const TensorMap& b_map, unsigned row,
                           unsigned column, unsigned k) {
    unsigned stage = step % STAGES;
    unsigned parity = step / STAGES % 2;
    unsigned full = ring.full + 8 * stage;
    barrier_wait(ring.empty + 8 * stage, parity ^ 1);
    barrier_expect(full, A_TILE + B_TILE);
    unsigned a_tile = ring.a_tiles + stage * A_TILE;
    unsigned b_tile = ring.b_tiles + stage * B_TILE;
    copy_box(a_tile, a_map, k, row, full);
    for (unsigned j = 0; j < BN / 64; j++) {
        copy_box(b_tile + j * BOX, b_map, column + 64 * j, k,
                 full);
    }
}

// By a consumer, for one step: waits until the step's place is
// full, and begins to multiply 64 rows of A's tile with B's
// tile. The sums belong to the tensor cores until mma_wait.
__device__ void multiply(const Ring& ring, unsigned step,
                         unsigned consumer,
                         float (&sums)[128]) {
    unsigned stage = step % STAGES;
    unsigned parity = step / STAGES % 2;
    barrier_wait_warp(ring.full + 8 * stage, parity);
    unsigned a_tile = ring.a_tiles + stage * A_TILE;
    unsigned a_rows = a_tile + consumer * BOX;
    unsigned b_tile = ring.b_tiles + stage * B_TILE;
    mma_fence();
    #pragma unroll
    for (unsigned k = 0; k < BK; k += 16) {
        // Column k of A's tile, and row k of B's.
        mma(sums, descriptor(a_rows + k * 2, 16),
            descriptor(b_tile + k * 128, BOX));
    }
    mma_commit();
}

// By each lane of a consumer: this step's place may be filled.
__device__ void release(const Ring& ring, unsigned step) {
    if (threadIdx.x % 32 == 0) {
        barrier_arrive(ring.empty + 8 * (step % STAGES));
    }
}
