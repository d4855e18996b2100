// Where the tile keeps four rows of a column of A.

// Eight lanes store at once, from BK / 4 different columns and
// 32 / BK different rows. Exclusive or with a number of the
// column's own leads each of them to other banks.
fn slot(k: u32, row: u32) -> u32 {
    return (row / 4) ^ (k / 4 * (32 / BK));
}
