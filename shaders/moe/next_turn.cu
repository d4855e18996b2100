// The loop goes to the next expert: `groups` becomes the grid
// that this expert's rows need.
// Constant: COLUMNS, the tiles of 64 columns.
constexpr unsigned BM = 64;  // rows of a tile

extern "C" __global__ void __launch_bounds__(1)
next_turn(const unsigned* __restrict__ starts,
          unsigned* __restrict__ turn,
          unsigned* __restrict__ groups) {
    // The first turn is that of expert 0: `turn` starts at -1.
    unsigned expert = turn[0] + 1;
    unsigned count = starts[expert + 1] - starts[expert];
    turn[0] = expert;
    groups[0] = COLUMNS;
    groups[1] = (count + BM - 1) / BM;
    groups[2] = 1;
}
