// How many words and tokens there are now, and in how many
// blocks of 256 words, and of 1,024, they are gone through from
// here on.
// Constant: BLOCKS, blocks of 256 bytes of the text.

extern "C" __global__ void __launch_bounds__(1)
add_totals(const unsigned* __restrict__ word_starts,
           const unsigned* __restrict__ byte_starts,
           unsigned* __restrict__ totals,
           unsigned* __restrict__ word_grid) {
    totals[0] += word_starts[BLOCKS];
    totals[1] += byte_starts[BLOCKS];
    word_grid[0] = (totals[0] + 255) / 256;
    word_grid[1] = 1;
    word_grid[2] = 1;
    word_grid[3] = (totals[0] + 1023) / 1024;
    word_grid[4] = 1;
    word_grid[5] = 1;
}
