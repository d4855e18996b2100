// The tokens that are kept move together, in their order; one
// that begins a merge becomes the new token. `starts` says
// where a block of 256 tokens goes, a scan within the block
// where each of them does.
// Constants: N, the bytes of the text; BLOCKS, N / 256, rounded
// up.
#include "scan_block.cuh"

extern "C" __global__ void __launch_bounds__(256)
close_gaps(const unsigned* __restrict__ ids,
           const unsigned* __restrict__ offset,
           const unsigned* __restrict__ begins,
           const unsigned* __restrict__ length,
           const unsigned* __restrict__ starts,
           const unsigned* __restrict__ turn,
           unsigned* __restrict__ new_ids,
           unsigned* __restrict__ new_offset) {
    unsigned lane = threadIdx.x;
    unsigned i = blockIdx.x * 256 + lane;
    unsigned keep = 0;
    if (i < length[0]) {
        keep = i > 0 ? 1 - begins[i - 1] : 1;
    }
    unsigned kept = scan_block(lane, keep);
    if (keep == 1) {
        unsigned to = starts[blockIdx.x] + kept - 1;
        // The newest token is that of the last merge.
        unsigned newest = 255 + turn[0];
        new_ids[to] = begins[i] == 1 ? newest : ids[i];
        new_offset[to] = offset[i];
    }
    if (i == 0) {
        // The end of the text, behind the last token.
        new_offset[starts[BLOCKS]] = N;
    }
}
