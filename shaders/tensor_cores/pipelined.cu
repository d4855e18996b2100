// Against `wgmma`: one warp loads tiles, two warpgroups
// multiply them, and between them is a ring of STAGES places
// for tiles.
// The warpgroups share each tile of B, and a block's tile grows
// to 128 x 256: 85 FLOP for each byte that is loaded, not 64.
// Constants: M, N, K, the sizes of the matrices; N and K are
// multiples of 8. All three are row-major, in bf16; sums are in
// f32.
// Tensor maps, in boxes of rows x columns swizzled over 128
// bytes: a_map, of A in 128 x 64; b_map, of B in 64 x 64.
#include "ring.cuh"
#include "store_sums.cuh"

constexpr unsigned STEPS = (K + BK - 1) / BK;

extern "C" __global__ void
__launch_bounds__(128 * (1 + CONSUMERS), 1)
pipelined(const bf16*, const bf16*, bf16* __restrict__ c,
          const __grid_constant__ TensorMap a_map,
          const __grid_constant__ TensorMap b_map) {
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ unsigned long long barriers[2][STAGES];
    unsigned a_tiles = address(shared);
    unsigned b_tiles = a_tiles + STAGES * A_TILE;
    Ring ring = {a_tiles, b_tiles,
                 address(barriers[0]), address(barriers[1])};
    unsigned first_row = blockIdx.y * BM;
    unsigned first_column = blockIdx.x * BN;
    unsigned warpgroup = threadIdx.x / 128;
    if (threadIdx.x == 0) {
        ring_init(ring);
    }
    __syncthreads();

    if (warpgroup == 0) {
        // The producer. It gives back registers, which the
        // consumers need for their sums.
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            for (unsigned step = 0; step < STEPS; step++) {
                load_tiles(ring, step, a_map, b_map, first_row,
                           first_column, step * BK);
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        unsigned consumer = warpgroup - 1;
        float sums[128] = {};
        for (unsigned step = 0; step < STEPS; step++) {
            multiply(ring, step, consumer, sums);
            // While this step runs, the one before is complete,
            // and its place can be filled again.
            mma_wait<1>();
            if (step > 0) {
                release(ring, step - 1);
            }
        }
        mma_wait<0>();
        store_sums(sums, c, first_row + 64 * consumer,
                   first_column);
    }
}
