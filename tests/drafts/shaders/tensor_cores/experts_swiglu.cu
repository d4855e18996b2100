// Against `experts`: the product by which an expert begins. Its
// matrix has the gates' columns first, and as many columns that
// they let pass. A tile has 128 of each, so that a lane holds
// both sums of an element, and stores gate / (1 + exp(-gate))
// times the other: half the columns, and no kernel between.
// Constants: K, columns of rows and rows of an expert's matrix;
// N, the columns of that matrix; K and N / 2 are multiples of
// 8.
// STRIDE, the numbers in starts per expert. Everything is
// row-major, in bf16; sums are in f32.
// Tensor maps, in boxes of rows x columns swizzled over 128
// bytes: a_map, of the rows in 128 x 64; b_map, of the experts'
// matrices in 64 x 64; c_map, of the result in 64 x 64.
#include "expert_ring.cuh"

extern "C" __global__ void
__launch_bounds__(128 * (1 + CONSUMERS), 1)
experts_swiglu(const bf16*, const unsigned* starts,
               const unsigned* tiles, const unsigned* groups,
               const bf16*, bf16* result,
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
                for (unsigned k = 0; k < K; k += BK, step++) {
                    load_expert_tiles(ring, step, a_map, b_map,
                                      tile,
                                      tile.first_column / 2,
                                      N / 2, k);
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
            #pragma unroll
            for (unsigned j = 0; j < 64; j++) {
                // The hardware's approximations.
                float one = 1.0f + __expf(-sums[j]);
                sums[j] = __fdividef(sums[j], one)
                          * sums[64 + j];
            }
            ExpertTile tile =
                expert_tile(starts, tiles, listed, i);
            store_expert_sums<2>(sums, c_map, result, N / 2,
                                 tile.first_column / 2,
                                 tile.first_row + 64 * consumer,
                                 tile.row_end, buffers,
                                 warpgroup);
        }
        // Shared memory has to outlive the last stores.
        if (threadIdx.x % 128 == 0) {
            asm volatile("cp.async.bulk.wait_group 0;"
                         ::: "memory");
        }
    }
}
