// Lists the tiles of BM rows that the experts need: for each,
// its expert and its first row. `groups` becomes the grid.
// A lane has an expert, and first adds up the tiles of all
// experts before it.
// Constants: E, the experts; COLUMNS, the tiles of 64 columns;
// STRIDE, the numbers in starts per expert; BM, the rows of a
// tile.

__device__ unsigned tiles_of(const unsigned* starts,
                             unsigned expert) {
    unsigned start = starts[expert * STRIDE];
    unsigned end = starts[(expert + 1) * STRIDE];
    return (end - start + BM - 1) / BM;
}

extern "C" __global__ void __launch_bounds__(256)
list_tiles(const unsigned* __restrict__ starts,
           unsigned* __restrict__ tiles,
           unsigned* __restrict__ groups) {
    for (unsigned e = threadIdx.x; e < E; e += 256) {
        unsigned tile = 0;
        for (unsigned other = 0; other < e; other++) {
            tile += tiles_of(starts, other);
        }
        unsigned own = tiles_of(starts, e);
        for (unsigned i = 0; i < own; i++) {
            tiles[2 * (tile + i)] = e;
            tiles[2 * (tile + i) + 1] =
                starts[e * STRIDE] + i * BM;
        }
        if (e == E - 1) {
            groups[0] = COLUMNS;
            groups[1] = tile + own;
            groups[2] = 1;
        }
    }
}
