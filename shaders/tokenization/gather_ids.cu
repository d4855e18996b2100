// The tokens move together, in their order. `starts` says where
// a block of 256 bytes goes, a scan within the block where each
// of its tokens does.
// Constants: N, the bytes; BLOCKS, N / 256, rounded up.
#include "nothing.cuh"
#include "scan_block.cuh"

// offset is at which byte each token begins, length how many
// tokens there are.
extern "C" __global__ void __launch_bounds__(256)
gather_ids(const unsigned* __restrict__ ids,
           const unsigned* __restrict__ starts,
           unsigned* __restrict__ encoded,
           unsigned* __restrict__ offset,
           unsigned* __restrict__ length) {
    unsigned lane = threadIdx.x;
    unsigned i = blockIdx.x * 256 + lane;
    unsigned id = i < N ? ids[i] : NOTHING;
    unsigned kept = scan_block(lane, id != NOTHING);
    if (id != NOTHING) {
        unsigned to = starts[blockIdx.x] + kept - 1;
        encoded[to] = id;
        offset[to] = i;
    }
    if (i == 0) {
        offset[starts[BLOCKS]] = N;
        length[0] = starts[BLOCKS];
    }
}
