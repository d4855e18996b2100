//! The order in which workgroups take the tiles of a matrix, and the rows and columns that concurrent tiles load.

use std::collections::BTreeSet;

/// The row and column of each of `rows` × `columns` tiles, in launch order: down `group` rows, then on to the next
/// column. With groups of one row, they go row by row.
pub fn in_groups([rows, columns]: [usize; 2], group: usize) -> impl Iterator<Item = [usize; 2]> {
    let group = group.clamp(1, rows.max(1));
    (0..rows.div_ceil(group)).flat_map(move |of| {
        let (first, tall) = (of * group, group.min(rows - of * group));
        (0..columns).flat_map(move |column| (first..first + tall).map(move |row| [row, column]))
    })
}

/// The number of different rows, and of different columns, of the tiles.
#[must_use]
pub fn spans(tiles: &[[usize; 2]]) -> [usize; 2] {
    [0, 1].map(|axis| tiles.iter().map(|tile| tile[axis]).collect::<BTreeSet<_>>().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tile_comes_once() {
        for group in [1, 2, 3, 16, 99] {
            let mut tiles: Vec<_> = in_groups([7, 5], group).collect();
            if group == 1 {
                assert_eq!(tiles[..6], [[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [1, 0]]);
            }
            if group == 3 {
                assert_eq!(tiles[..4], [[0, 0], [1, 0], [2, 0], [0, 1]]);
                assert_eq!(tiles[30..], [[6, 0], [6, 1], [6, 2], [6, 3], [6, 4]]);
            }
            tiles.sort_unstable();
            assert_eq!(tiles, (0..35).map(|at| [at / 5, at % 5]).collect::<Vec<_>>());
        }
        assert_eq!(in_groups([0, 5], 4).count(), 0);
    }

    /// The example of Triton's tutorial on matrix multiplication: 9 × 9 tiles, nine at a time.
    #[test]
    fn a_square_of_tiles_needs_less_than_a_row() {
        let first = |group| spans(&in_groups([9, 9], group).take(9).collect::<Vec<_>>());
        assert_eq!((first(1), first(3)), ([1, 9], [3, 3]));
    }
}
