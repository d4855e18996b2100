// The order in which tiles of C are taken: through a group of
// GROUP rows of tiles, column by column, then through the next
// group.
#pragma once

// Rows and columns of tiles.
constexpr unsigned ROWS = (M + BM - 1) / BM;
constexpr unsigned COLUMNS = (N + BN - 1) / BN;
// With 8 columns, about as many tiles as blocks run at once.
constexpr unsigned GROUP = 16;

// The first row and column of C in a tile.
__device__ void tile_origin(unsigned tile, unsigned& row,
                            unsigned& column) {
    unsigned group = tile / (GROUP * COLUMNS);
    unsigned in_group = tile % (GROUP * COLUMNS);
    // The last group may have fewer rows.
    unsigned height = min(GROUP, ROWS - group * GROUP);
    row = (group * GROUP + in_group % height) * BM;
    column = in_group / height * BN;
}
