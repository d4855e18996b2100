// The new text replaces the old one, and has its length.
// Constant: BLOCKS, blocks of 256 tokens at first.

extern "C" __global__ void __launch_bounds__(256)
take_over(const unsigned* __restrict__ starts,
          const unsigned* __restrict__ new_ids,
          const unsigned* __restrict__ new_offset,
          unsigned* __restrict__ ids,
          unsigned* __restrict__ offset,
          unsigned* __restrict__ length) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    unsigned tokens = starts[BLOCKS];
    if (i < tokens) {
        ids[i] = new_ids[i];
    }
    if (i <= tokens) {
        offset[i] = new_offset[i];
    }
    if (i == 0) {
        length[0] = tokens;
    }
}
