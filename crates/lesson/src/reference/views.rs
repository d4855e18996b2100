//! A tensor's view of its storage: shape, strides and offset, as `PyTorch`'s operations change them.

use serde::{Deserialize, Serialize};

/// An operation on a matrix. All but one leave the storage unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Op {
    /// `x.T`: swaps the dimensions of shape and strides.
    Transpose,
    /// `x[:, ::2]`: every second column.
    EverySecond,
    /// `x[1:]`: without the first row.
    Tail,
    /// `x[:1].expand(4, -1)`: the first row four times, with stride 0.
    Expand,
    /// `x.contiguous()`: a copy in row-major order; the same tensor if it is already in that order.
    Contiguous,
}

/// All operations, with their notation.
pub const OPS: [(Op, &str); 5] = [
    (Op::Transpose, ".T"),
    (Op::EverySecond, "[:, ::2]"),
    (Op::Tail, "[1:]"),
    (Op::Expand, "[:1].expand(4, -1)"),
    (Op::Contiguous, ".contiguous()"),
];

impl Op {
    /// Its notation after the tensor's name.
    #[must_use]
    pub fn written(self) -> &'static str {
        OPS.iter().find(|(op, _)| *op == self).map_or("", |(_, text)| text)
    }
}

/// A matrix: the position of each element in its storage, and the storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Rows and columns.
    pub shape: [usize; 2],
    /// Elements from one row to the next, and from one column to the next.
    pub strides: [usize; 2],
    /// Elements before the first one.
    pub offset: usize,
    /// The storage's values.
    pub storage: Vec<usize>,
}

impl View {
    /// The number of elements of the storage that every view begins with.
    pub const ELEMENTS: usize = 24;
    /// The maximum number of operations.
    pub const MOST: usize = 5;

    /// `torch.arange(24.).view(4, 6)` after these operations.
    #[must_use]
    pub fn after(ops: &[Op]) -> Self {
        let begin = Self { shape: [4, 6], strides: [6, 1], offset: 0, storage: (0..Self::ELEMENTS).collect() };
        ops.iter().fold(begin, |view, op| view.apply(*op))
    }

    fn apply(mut self, op: Op) -> Self {
        let ([rows, columns], [down, along]) = (self.shape, self.strides);
        match op {
            Op::Transpose => (self.shape, self.strides) = ([columns, rows], [along, down]),
            Op::EverySecond => (self.shape[1], self.strides[1]) = (columns.div_ceil(2), 2 * along),
            Op::Tail if rows > 1 => (self.shape[0], self.offset) = (rows - 1, self.offset + down),
            Op::Tail => {}
            Op::Expand => (self.shape[0], self.strides[0]) = (4, 0),
            Op::Contiguous if self.is_contiguous() => {}
            Op::Contiguous => {
                let storage = self.places().map(|place| self.storage[place]).collect();
                self = Self { shape: self.shape, strides: [columns, 1], offset: 0, storage };
            }
        }
        self
    }

    /// The positions of its elements in the storage, row by row.
    pub fn places(&self) -> impl Iterator<Item = usize> + '_ {
        let [rows, columns] = self.shape;
        let [down, along] = self.strides;
        (0..rows).flat_map(move |row| (0..columns).map(move |column| self.offset + row * down + column * along))
    }

    /// Whether its elements are adjacent in row-major order. The stride of a dimension of one element does not matter.
    #[must_use]
    pub fn is_contiguous(&self) -> bool {
        let [rows, columns] = self.shape;
        let [down, along] = self.strides;
        (columns == 1 || along == 1) && (rows == 1 || down == columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ops: &[Op]) -> ([usize; 2], [usize; 2], usize, bool) {
        let view = View::after(ops);
        (view.shape, view.strides, view.offset, view.is_contiguous())
    }

    /// The results of torch 2.11: `x = torch.arange(24.).view(4, 6)`, then `.shape`, `.stride()`, `.storage_offset()`,
    /// `.is_contiguous()`.
    #[test]
    fn operations_do_what_torch_does() {
        assert_eq!(of(&[]), ([4, 6], [6, 1], 0, true));
        assert_eq!(of(&[Op::Transpose]), ([6, 4], [1, 6], 0, false));
        assert_eq!(of(&[Op::EverySecond]), ([4, 3], [6, 2], 0, false));
        assert_eq!(of(&[Op::Tail]), ([3, 6], [6, 1], 6, true));
        assert_eq!(of(&[Op::Transpose, Op::Tail]), ([5, 4], [1, 6], 1, false));
        assert_eq!(of(&[Op::Expand]), ([4, 6], [0, 1], 0, false));
        assert_eq!(of(&[Op::Transpose, Op::Contiguous]), ([6, 4], [4, 1], 0, true));
        assert_eq!(View::after(&[Op::Transpose, Op::Contiguous]).storage[..5], [0, 6, 12, 18, 1]);
    }

    #[test]
    fn no_operations_leave_the_storage() {
        // Every list of operations up to the maximum: each position is within the storage.
        let mut lists = vec![Vec::new()];
        for _ in 0..View::MOST {
            let longer: Vec<Vec<Op>> =
                lists.iter().flat_map(|list| OPS.iter().map(|(op, _)| [list.as_slice(), &[*op]].concat())).collect();
            for list in &longer {
                let view = View::after(list);
                assert!(view.places().all(|place| place < view.storage.len()), "{list:?}: {view:?}");
                assert!(view.shape[0] * view.shape[1] <= View::ELEMENTS, "{list:?}: {view:?}");
            }
            lists = longer;
        }
    }
}
