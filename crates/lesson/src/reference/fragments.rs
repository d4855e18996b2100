//! Fragments: the lane that holds each element of the operands of `mma.sync.m16n8k16` with 16-bit factors.
//!
//! Source: PTX ISA, *Matrix fragments for `mma.m16n8k16` with floating point type*.

/// A matrix of the product D = A·B + C; D has the layout of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// 16 × 16, eight numbers a lane.
    A,
    /// 16 × 8, four numbers a lane.
    B,
    /// 16 × 8 sums, four a lane.
    C,
}

impl Operand {
    /// Rows and columns.
    #[must_use]
    pub fn shape(self) -> [usize; 2] {
        [16, if self == Self::A { 16 } else { 8 }]
    }

    /// The lane that holds the element, and the element's index among that lane's numbers.
    #[must_use]
    pub fn holder(self, row: usize, column: usize) -> (usize, usize) {
        match self {
            Self::A => (row % 8 * 4 + column % 8 / 2, column / 8 * 4 + row / 8 * 2 + column % 2),
            Self::B => (column * 4 + row % 8 / 2, row / 8 * 2 + row % 2),
            Self::C => (row % 8 * 4 + column / 2, row / 8 * 2 + column % 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_every_lane_is_one_element() {
        for (operand, each) in [(Operand::A, 8), (Operand::B, 4), (Operand::C, 4)] {
            let [rows, columns] = operand.shape();
            let mut held: Vec<_> = (0..rows * columns).map(|at| operand.holder(at / columns, at % columns)).collect();
            held.sort_unstable();
            let wanted: Vec<_> = (0..32).flat_map(|lane| (0..each).map(move |i| (lane, i))).collect();
            assert_eq!(held, wanted, "{operand:?}");
        }
    }

    /// The documented formulas, from a lane and an index to an element.
    #[test]
    fn elements_are_where_the_manual_has_them() {
        for lane in 0..32 {
            let (group, thread) = (lane / 4, lane % 4);
            for i in 0..8 {
                let row = if i < 2 || (4..6).contains(&i) { group } else { group + 8 };
                let column = thread * 2 + (i & 1) + if i >= 4 { 8 } else { 0 };
                assert_eq!(Operand::A.holder(row, column), (lane, i));
            }
            for i in 0..4 {
                let row = thread * 2 + (i & 1) + if i >= 2 { 8 } else { 0 };
                assert_eq!(Operand::B.holder(row, group), (lane, i));
                let row = if i < 2 { group } else { group + 8 };
                assert_eq!(Operand::C.holder(row, thread * 2 + (i & 1)), (lane, i));
            }
        }
    }
}
