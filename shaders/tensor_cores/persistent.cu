// Against `pipelined_grouped`: only as many blocks as run at
// the same time, and each takes tile after tile.
// While the sums of one tile are stored, the first steps of the
// next tile are loaded. The copy engine stores the sums, whole
// boxes from shared memory, while the next tile is multiplied.
// Constants: M, N, K, the sizes of the matrices; N and K are
// multiples of 8. All three are row-major, in bf16; sums are in
// f32.
// Tensor maps, in boxes of rows x columns swizzled over 128
// bytes: a_map, of A in 128 x 64; b_map, of B in 64 x 64;
// c_map, of C in 64 x 64.
#include "ring.cuh"
#include "tile_order.cuh"

// Bytes of a buffer for 64 x 64 of C; each consumer has two.
constexpr unsigned C_BUFFER = 64 * 64 * 2;

// Has the copy engine take a box from shared memory to the
// matrix. Nothing is written outside of it.
__device__ void store_box(const TensorMap& map, unsigned column,
                          unsigned row, unsigned from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta"
                 ".tile.bulk_group [%0, {%1, %2}], [%3];"
                 :: "l"(&map), "r"(column), "r"(row), "r"(from)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits for the 128 threads of a warpgroup alone; barrier 0 is
// that of `__syncthreads`.
__device__ void warpgroup_sync(unsigned warpgroup) {
    asm volatile("bar.sync %0, 128;" :: "r"(warpgroup)
                 : "memory");
}

// Four 8 x 8 matrices of packed sums, each lane's eight floats
// from `own` on, from a warp's registers to shared memory. Lane
// l says where row l % 8 of matrix l / 8 starts.
__device__ void store_matrices(unsigned row_address,
                               const float* own) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 "
                 "[%0], {%1, %2, %3, %4};"
                 :: "r"(row_address),
                    "r"(pack_bf16(own[0], own[1])),
                    "r"(pack_bf16(own[2], own[3])),
                    "r"(pack_bf16(own[4], own[5])),
                    "r"(pack_bf16(own[6], own[7])) : "memory");
}

// A consumer's 64 x 256 sums to C, 64 columns at a time,
// through two buffers in turn: while one is being written to C,
// the other is filled. The last two are still on their way when
// the first steps of the next tile are multiplied.
__device__ void store_sums(const float (&sums)[128],
                           const TensorMap& c_map,
                           unsigned column, unsigned row,
                           unsigned buffers,
                           unsigned warpgroup) {
    unsigned warp = threadIdx.x % 128 / 32;
    unsigned lane = threadIdx.x % 32;
    bool is_first = threadIdx.x % 128 == 0;
    #pragma unroll
    for (unsigned box = 0; box < BN / 64; box++) {
        unsigned buffer = buffers + box % 2 * C_BUFFER;
        if (is_first) {
            // This buffer has been read.
            asm volatile("cp.async.bulk.wait_group.read 1;"
                         ::: "memory");
        }
        warpgroup_sync(warpgroup);
        #pragma unroll
        for (unsigned j = 0; j < 4; j++) {
            // 16 columns of the warp's 16 rows. Row r has the
            // i-th 16 of its 128 bytes at i ^ (r % 8): the
            // swizzle.
            unsigned row_address =
                buffer + (16 * warp + lane % 16) * 128;
            unsigned chunk = 2 * j + lane / 16;
            unsigned swizzled = chunk ^ (lane % 8);
            store_matrices(row_address + swizzled * 16,
                           sums + 32 * box + 8 * j);
        }
        fence_async();
        warpgroup_sync(warpgroup);
        if (is_first) {
            store_box(c_map, column + 64 * box, row, buffer);
        }
    }
}

extern "C" __global__ void
__launch_bounds__(128 * (1 + CONSUMERS), 1)
persistent(const bf16*, const bf16*, bf16*,
           const __grid_constant__ TensorMap a_map,
           const __grid_constant__ TensorMap b_map,
           const __grid_constant__ TensorMap c_map) {
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

    constexpr unsigned TILES = ROWS * COLUMNS;
    // Counts on through all tiles, for the producer as for the
    // consumers.
    unsigned step = 0;
    unsigned first_row, first_column;
    if (warpgroup == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            for (unsigned tile = blockIdx.x; tile < TILES;
                 tile += gridDim.x) {
                tile_origin(tile, first_row, first_column);
                for (unsigned k = 0; k < K; k += BK, step++) {
                    load_tiles(ring, step, a_map, b_map,
                               first_row, first_column, k);
                }
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        unsigned consumer = warpgroup - 1;
        unsigned buffers = c_buffers + 2 * C_BUFFER * consumer;
        for (unsigned tile = blockIdx.x; tile < TILES;
             tile += gridDim.x) {
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
            tile_origin(tile, first_row, first_column);
            store_sums(sums, c_map, first_column,
                       first_row + 64 * consumer, buffers,
                       warpgroup);
        }
        // Shared memory has to outlive the last stores.
        if (threadIdx.x % 128 == 0) {
            asm volatile("cp.async.bulk.wait_group 0;"
                         ::: "memory");
        }
    }
}
