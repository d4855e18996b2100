// One product for each expert, by a ring of tiles: which tiles
// there are stands in a list. Tile i of the list has expert
// tiles[2 i], and starts at row tiles[2 i + 1]; groups[1] says
// how many there are. An expert's rows end at
// starts[(expert + 1) * STRIDE].
// The experts' matrices of K x N stand below each other.
#pragma once
#include "ring.cuh"
#include "store_boxes.cuh"

// Columns of tiles, and the rows of tiles in a group that is
// taken column by column.
constexpr unsigned COLUMNS = (N + BN - 1) / BN;
constexpr unsigned GROUP = 16;

struct ExpertTile {
    unsigned expert, first_row, row_end, first_column;
};

__device__ ExpertTile expert_tile(const unsigned* starts,
                                  const unsigned* tiles,
                                  unsigned listed,
                                  unsigned tile) {
    unsigned group = tile / (GROUP * COLUMNS);
    unsigned in_group = tile % (GROUP * COLUMNS);
    // The last group may have fewer rows.
    unsigned height = min(GROUP, listed - group * GROUP);
    unsigned i = group * GROUP + in_group % height;
    unsigned expert = tiles[2 * i];
    return {expert, tiles[2 * i + 1],
            starts[(expert + 1) * STRIDE],
            in_group / height * BN};
}

// As `load_tiles`, with B's tile from an expert's matrix: in
// four boxes, the two of each half `half` columns apart.
__device__ void load_expert_tiles(const Ring& ring,
                                  unsigned step,
                                  const TensorMap& a_map,
                                  const TensorMap& b_map,
                                  const ExpertTile& tile,
                                  unsigned half,
                                  unsigned column, unsigned k) {
    unsigned stage = step % STAGES;
    unsigned parity = step / STAGES % 2;
    unsigned full = ring.full + 8 * stage;
    barrier_wait(ring.empty + 8 * stage, parity ^ 1);
    barrier_expect(full, A_TILE + B_TILE);
    unsigned a_tile = ring.a_tiles + stage * A_TILE;
    unsigned b_tile = ring.b_tiles + stage * B_TILE;
    copy_box(a_tile, a_map, k, tile.first_row, full);
    for (unsigned j = 0; j < 4; j++) {
        copy_box(b_tile + j * BOX, b_map,
                 column + j / 2 * half + j % 2 * 64,
                 tile.expert * K + k, full);
    }
}

// 64 x 64 sums from a buffer to the matrix, row by row, up to
// the expert's last row: the rows after it are another's.
__device__ void store_rows(unsigned buffer, bf16* to,
                           unsigned columns, unsigned column,
                           unsigned row, unsigned row_end) {
    for (unsigned i = threadIdx.x % 128; i < 64 * 8; i += 128) {
        unsigned r = i / 8;
        unsigned chunk = i % 8;
        unsigned from = buffer + r * 128 + (chunk ^ r % 8) * 16;
        uint4 eight;
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(eight.x), "=r"(eight.y),
                       "=r"(eight.z), "=r"(eight.w)
                     : "r"(from) : "memory");
        unsigned c = column + 8 * chunk;
        if (row + r < row_end && c < columns) {
            size_t at = (size_t)(row + r) * columns + c;
            *(uint4*)(to + at) = eight;
        }
    }
}

// A consumer's sums to the result, BOXES times 64 columns,
// through two buffers in turn. Only where all 64 rows are the
// expert's does the copy engine store them.
template <unsigned BOXES>
__device__ void store_expert_sums(const float* sums,
                                  const TensorMap& map,
                                  bf16* result,
                                  unsigned columns,
                                  unsigned column, unsigned row,
                                  unsigned row_end,
                                  unsigned buffers,
                                  unsigned warpgroup) {
    bool is_first = threadIdx.x % 128 == 0;
    bool is_whole = row + 64 <= row_end;
    #pragma unroll
    for (unsigned box = 0; box < BOXES; box++) {
        unsigned buffer = buffers + box % 2 * C_BUFFER;
        if (is_first && is_whole) {
            // This buffer has been read, if the other has not.
            asm volatile("cp.async.bulk.wait_group.read 1;"
                         ::: "memory");
        } else if (is_first) {
            asm volatile("cp.async.bulk.wait_group.read 0;"
                         ::: "memory");
        }
        warpgroup_sync(warpgroup);
        fill_buffer(sums + 32 * box, buffer);
        if (is_whole) {
            fence_async();
        }
        warpgroup_sync(warpgroup);
        if (!is_whole) {
            store_rows(buffer, result, columns,
                       column + 64 * box, row, row_end);
        } else if (is_first) {
            store_box(map, column + 64 * box, row, buffer);
        }
    }
}

// All tiles of the list by persistent blocks: one warpgroup
// loads, the others multiply, `finish` their sums, and store
// BOXES times 64 columns of each tile. The halves of B's tile
// are HALF columns apart.
template <unsigned BOXES, unsigned HALF, typename Finish>
__device__ void multiply_experts(const unsigned* starts,
                                 const unsigned* tiles,
                                 const unsigned* groups,
                                 bf16* result,
                                 const TensorMap& a_map,
                                 const TensorMap& b_map,
                                 const TensorMap& c_map,
                                 const Finish& finish) {
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ unsigned long long barriers[2][STAGES];
    unsigned a_tiles = address(shared);
    unsigned b_tiles = a_tiles + STAGES * A_TILE;
    unsigned c_buffers = b_tiles + STAGES * B_TILE;
    Ring ring = {a_tiles, b_tiles,
                 address(barriers[0]), address(barriers[1])};
    unsigned warpgroup = threadIdx.x / 128;
    if (threadIdx.x == 0) {
        ring_init(ring);
    }
    __syncthreads();

    unsigned listed = groups[1];
    unsigned count = listed * COLUMNS;
    // Counts on through all tiles, for the producer as for the
    // consumers.
    unsigned step = 0;
    if (warpgroup == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            for (unsigned i = blockIdx.x; i < count;
                 i += gridDim.x) {
                ExpertTile tile =
                    expert_tile(starts, tiles, listed, i);
                unsigned first = tile.first_column;
                for (unsigned k = 0; k < K; k += BK, step++) {
                    load_expert_tiles(ring, step, a_map, b_map,
                                      tile, HALF,
                                      first * BOXES / 4, k);
                }
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        unsigned consumer = warpgroup - 1;
        unsigned buffers = c_buffers + 2 * C_BUFFER * consumer;
        for (unsigned i = blockIdx.x; i < count;
             i += gridDim.x) {
            float sums[128] = {};
            for (unsigned k = 0; k < K; k += BK, step++) {
                multiply(ring, step, consumer, sums);
                // While this step runs, the one before is
                // complete, and its place can be filled again.
                mma_wait<1>();
                if (k > 0) {
                    release(ring, step - 1);
                }
            }
            mma_wait<0>();
            release(ring, step - 1);
            finish(sums);
            ExpertTile tile =
                expert_tile(starts, tiles, listed, i);
            store_expert_sums<BOXES>(
                sums, c_map, result, N * BOXES / 4,
                tile.first_column * BOXES / 4,
                tile.first_row + 64 * consumer, tile.row_end,
                buffers, warpgroup);
        }
        // Shared memory has to outlive the last stores.
        if (threadIdx.x % 128 == 0) {
            asm volatile("cp.async.bulk.wait_group 0;"
                         ::: "memory");
        }
    }
}
