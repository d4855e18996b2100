// Where the tile keeps four rows of a column of A.
#pragma once

// Eight threads store at once, from BK / 4 different columns
// and 32 / BK different rows. Exclusive or with a number of the
// column's own leads each of them to other banks.
__device__ unsigned slot(unsigned k, unsigned row) {
    return (row / 4) ^ (k / 4 * (32 / BK));
}
