//! A row-major matrix in cells: blocks of elements, each treated as one if there are too many elements.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A row-major matrix, and the blocks that its elements are gathered in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cells {
    /// Rows of the matrix; the last may lack elements.
    pub rows: u64,
    /// Columns of the matrix.
    pub columns: u64,
    /// Rows and columns of a cell, each a power of two: tiles of a kernel mostly are, too, so that they end where cells
    /// do.
    pub span: [u64; 2],
}

impl Cells {
    /// Divides a matrix of `elements` in rows of `columns` into the smallest cells that give at most `most` cells in
    /// each direction. Up to three elements after the last full row are ignored: kernels that move vectors of four have
    /// their buffers rounded up to whole ones.
    #[must_use]
    pub fn of(elements: u64, columns: u64, most: u64) -> Self {
        let columns = columns.max(1);
        let padded = columns > 3 && elements % columns < 4;
        let rows = if padded { elements / columns } else { elements.div_ceil(columns) }.max(1);
        let span = [rows, columns].map(|n| n.div_ceil(most.max(1)).next_power_of_two());
        Self { rows, columns, span }
    }

    /// Cells down and across.
    #[must_use]
    pub fn grid(&self) -> [u64; 2] {
        [self.rows.div_ceil(self.span[0]), self.columns.div_ceil(self.span[1])]
    }

    /// How many cells there are.
    #[must_use]
    pub fn count(&self) -> usize {
        let [down, across] = self.grid();
        usize::try_from(down * across).unwrap_or(usize::MAX)
    }

    /// Elements of the matrix.
    #[must_use]
    pub fn elements(&self) -> u64 {
        self.rows * self.columns
    }

    /// Row and column of an element.
    #[must_use]
    pub fn place(&self, element: u64) -> [u64; 2] {
        [element / self.columns, element % self.columns]
    }

    /// The cell that an element of this row and column is in, counted row by row; one past the last for what lies
    /// outside.
    #[must_use]
    pub fn cell(&self, [row, column]: [u64; 2]) -> usize {
        if row >= self.rows || column >= self.columns {
            return self.count();
        }
        let across = self.grid()[1];
        usize::try_from(row / self.span[0] * across + column / self.span[1]).unwrap_or(usize::MAX)
    }

    /// The rows and columns of the matrix that a cell holds.
    #[must_use]
    pub fn block(&self, cell: usize) -> [Range<u64>; 2] {
        let across = self.grid()[1];
        let (down, along) = (cell as u64 / across, cell as u64 % across);
        let range = |at: u64, span: u64, end: u64| (at * span).min(end)..((at + 1) * span).min(end);
        [range(down, self.span[0], self.rows), range(along, self.span[1], self.columns)]
    }

    /// The cells that the elements from `first` up to before `end` are in. A cell comes again where they reach it in
    /// another row.
    pub fn along(&self, first: u64, end: u64) -> impl Iterator<Item = usize> + '_ {
        let mut at = first;
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let [row, column] = self.place(at);
                let next = ((column / self.span[1] + 1) * self.span[1]).min(self.columns);
                at += next - column;
                self.cell([row, column])
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_matrices_are_gathered_and_small_ones_not() {
        assert_eq!(Cells::of(64 * 128, 128, 128).span, [1, 1]);
        assert_eq!(Cells::of(1024 * 1024, 1024, 128), Cells { rows: 1024, columns: 1024, span: [8, 8] });
        let odd = Cells::of(1793 * 127, 127, 128);
        assert_eq!((odd.rows, odd.span, odd.grid()), (1793, [16, 1], [113, 127]));
        assert_eq!(odd.block(odd.count() - 1), [1792..1793, 126..127]);
        // The last row lacks an element, and is there.
        assert_eq!(Cells::of(99, 10, 128).rows, 10);
        // 255 × 255 elements, rounded up to whole vectors of four.
        assert_eq!(Cells::of(65_028, 255, 128).rows, 255);
    }

    #[test]
    fn elements_find_their_cells() {
        let cells = Cells::of(256 * 256, 256, 128);
        assert_eq!(cells.cell(cells.place(0)), 0);
        assert_eq!(cells.cell(cells.place(2 * 256 + 3)), 128 + 1);
        assert_eq!(cells.cell([256, 0]), cells.count());
        assert_eq!(cells.block(129), [2..4, 2..4]);
        assert_eq!(cells.along(2, 7).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(cells.along(255, 258).collect::<Vec<_>>(), [127, 0], "the second row is in the first row of cells");
        assert_eq!(cells.along(5, 5).count(), 0);
    }
}
