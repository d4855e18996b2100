//! Small matrices in the registers of a warp, as PTX's `mma`, `wmma` and `ldmatrix` have them.
//!
//! A matrix is a grid of tiles. A tile has 8 lines of 16 bytes, and lies in one register of each lane: word `l % 4` of line `l / 4` in
//! lane `l`. Lines are rows of the left factor, columns of the right one; sums lie in tiles of 8 rows with two neighbours of a row in
//! each lane. So do the fragments of PTX ISA 9.0, sections 9.7.15.5.6 to .11 ("Matrix Fragments for mma.m16n8k4" and on), where the
//! tiles of the left factor and of the sums are numbered down the rows first, those of the right factor along k first.
//! `wmma` leaves open where an element is; here it has the tiles of `mma`, as NVIDIA's GPUs from sm_80 on do.

use warpbook_base::half::{bf16_to_f32, f16_to_f32};

/// Lanes that share a matrix.
pub const LANES: u32 = 32;

/// The elements of a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    F16,
    Bf16,
    /// An `f32` whose last 13 bits are ignored.
    Tf32,
    S8,
    U8,
}

impl Number {
    /// Elements in a word.
    pub fn per_word(self) -> u32 {
        match self {
            Self::Tf32 => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::S8 | Self::U8 => 4,
        }
    }

    /// Calls `to` with the place in its word and the value of each element of a word.
    #[inline(always)]
    pub fn each(self, word: u32, mut to: impl FnMut(usize, f32)) {
        let half = |n: u32| (word >> (16 * n) & 0xFFFF) as u16;
        match self {
            Self::F16 => [0, 1].into_iter().for_each(|n| to(n as usize, f16_to_f32(half(n)))),
            Self::Bf16 => [0, 1].into_iter().for_each(|n| to(n as usize, bf16_to_f32(half(n)))),
            Self::Tf32 => to(0, f32::from_bits(word & 0xFFFF_E000)),
            Self::S8 => word.to_le_bytes().into_iter().enumerate().for_each(|(n, b)| to(n, f32::from(b.cast_signed()))),
            Self::U8 => word.to_le_bytes().into_iter().enumerate().for_each(|(n, b)| to(n, f32::from(b))),
        }
    }
}

/// The sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    F32,
    /// Two in a register.
    F16,
    I32 {
        /// Whether a sum stays at the ends of its range, instead of beginning again at the other.
        saturates: bool,
    },
}

/// A product of matrices `m × k` and `k × n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub m: u32,
    pub n: u32,
    pub k: u32,
    /// The elements of the left factor, and of the right one.
    pub factors: [Number; 2],
    /// The sums before, and after.
    pub sums: [Sum; 2],
}

impl Shape {
    /// Columns of a tile of the left factor.
    fn deep(self, factor: usize) -> u32 {
        4 * self.factors[factor].per_word()
    }

    /// Registers of a lane for the left factor, the right one, the sums before and those after.
    pub fn registers(self) -> [usize; 4] {
        let sums = |sum: Sum| self.m / 8 * self.n / 8 * if sum == Sum::F16 { 1 } else { 2 };
        let [a, b] = [self.m / 8 * (self.k / self.deep(0)), self.n / 8 * (self.k / self.deep(1))];
        [a, b, sums(self.sums[0]), sums(self.sums[1])].map(|n| n as usize)
    }

    /// Row and column of the first element of tile `t` of the left factor, of the right one (transposed), or of the sums.
    pub fn tile(self, of: Of, t: u32) -> (u32, u32) {
        let down = self.m / 8;
        match of {
            Of::A => (t % down * 8, t / down * self.deep(0)),
            Of::B => {
                let along = self.k / self.deep(1);
                (t / along * 8, t % along * self.deep(1))
            }
            Of::Sum => (t % down * 8, t / down * 8),
        }
    }

    /// The sums that lie in register `i` of a lane after the product.
    pub fn elements(self, i: usize, lane: u32) -> Vec<(u32, u32)> {
        let i = i as u32;
        let (tile, columns) = match self.sums[1] {
            Sum::F16 => (i, 0..2),
            _ => (i / 2, i % 2..i % 2 + 1),
        };
        let (row, column) = self.tile(Of::Sum, tile);
        columns.map(|c| (row + lane / 4, column + lane % 4 * 2 + c)).collect()
    }

    /// The register, and the lanes, of the sum that is added to.
    pub fn source_of_sum(self, row: u32, column: u32) -> (usize, u64) {
        let tile = row / 8 + column / 8 * (self.m / 8);
        let reg = if self.sums[0] == Sum::F16 { tile } else { 2 * tile + column % 2 };
        (reg as usize, 1 << (row % 8 * 4 + column % 8 / 2))
    }

    /// The registers with a row of the left factor, and its lanes.
    pub fn row_of_a(self, row: u32) -> Vec<(usize, u64)> {
        let [count, ..] = self.registers();
        let regs = (0..count).filter(|t| self.tile(Of::A, *t as u32).0 == row / 8 * 8);
        regs.map(|t| (t, 0xF << (row % 8 * 4))).collect()
    }

    /// The same of a column of the right factor.
    pub fn column_of_b(self, column: u32) -> Vec<(usize, u64)> {
        let [_, count, ..] = self.registers();
        let regs = (0..count).filter(|t| self.tile(Of::B, *t as u32).0 == column / 8 * 8);
        regs.map(|t| (t, 0xF << (column % 8 * 4))).collect()
    }
}

/// A matrix of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    A,
    B,
    Sum,
}

/// Half a word of a register of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    pub lane: u32,
    pub reg: usize,
    pub half: u32,
}

/// How tiles move between lines that a lane has and words that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rearrange {
    /// `ldmatrix`: lane `l` brings line `l % 8` of tile `l / 8`, four words; register `t` gets its word of tile `t`.
    Gather { transposed: bool },
    /// `stmatrix`: the way back.
    Scatter { transposed: bool },
    /// `movmatrix`: each register's tile is transposed.
    Transpose,
}

impl Rearrange {
    /// Where half `half` of register `i` of a lane comes from.
    pub fn source(self, lane: u32, i: usize, half: u32) -> Source {
        let t = i as u32;
        match self {
            Self::Gather { transposed: false } => Source { lane: 8 * t + lane / 4, reg: (lane % 4) as usize, half },
            Self::Gather { transposed: true } => {
                let column = lane / 4;
                Source { lane: 8 * t + lane % 4 * 2 + half, reg: (column / 2) as usize, half: column % 2 }
            }
            Self::Scatter { transposed } => {
                let (tile, line) = (lane / 8, lane % 8);
                let column = 2 * t + half;
                let reg = tile as usize;
                if transposed {
                    Source { lane: 4 * column + line / 2, reg, half: line % 2 }
                } else {
                    Source { lane: 4 * line + t, reg, half }
                }
            }
            Self::Transpose => {
                let (row, column) = (lane % 4 * 2 + half, lane / 4);
                Source { lane: 4 * row + column / 2, reg: i, half: column % 2 }
            }
        }
    }
}

/// Adds the product of `a`, row by row, and `b`, row by row of `n`, to `sum`. Products are exact in `f32`; they are added one after the
/// other, in the order of k, and each addition rounds to the nearest. No manual documents the order; V100s, T4s and A100s were seen to add
/// several products at once, more exactly, and to cut off what is left (Fasi et al., "Numerical behavior of NVIDIA tensor cores", 2021).
pub fn add_product(k: usize, n: usize, a: &[f32], b: &[f32], sum: &mut [f32]) {
    const ROWS: usize = 4;
    const COLUMNS: usize = 8;
    for (sum, a) in sum.chunks_exact_mut(ROWS * n).zip(a.chunks_exact(ROWS * k)) {
        for first in (0..n).step_by(COLUMNS) {
            let mut part = [[0.0_f32; COLUMNS]; ROWS];
            for (row, part) in part.iter_mut().enumerate() {
                part.copy_from_slice(&sum[row * n + first..][..COLUMNS]);
            }
            for (i, b) in b.chunks_exact(n).enumerate() {
                let b = &b[first..][..COLUMNS];
                for (row, part) in part.iter_mut().enumerate() {
                    let a = a[row * k + i];
                    for (part, b) in part.iter_mut().zip(b) {
                        *part += a * b;
                    }
                }
            }
            for (row, part) in part.iter().enumerate() {
                sum[row * n + first..][..COLUMNS].copy_from_slice(part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_come_back_as_they_went() {
        for transposed in [false, true] {
            let (there, back) = (Rearrange::Gather { transposed }, Rearrange::Scatter { transposed });
            for (lane, word, half) in (0..32).flat_map(|l| (0..4).flat_map(move |w| [(l, w, 0), (l, w, 1)])) {
                let from = back.source(lane, word, half);
                let origin = there.source(from.lane, from.reg, from.half);
                assert_eq!(origin, Source { lane, reg: word, half });
            }
        }
    }

    #[test]
    fn a_transposed_tile_is_one_that_was_gathered_so() {
        for (lane, half) in (0..32).flat_map(|l| [(l, 0), (l, 1)]) {
            let turned = Rearrange::Transpose.source(lane, 0, half);
            let plain = Rearrange::Gather { transposed: false }.source(turned.lane, 0, turned.half);
            assert_eq!(plain, Rearrange::Gather { transposed: true }.source(lane, 0, half));
        }
    }

    #[test]
    fn products_are_added_in_order() {
        let (k, n) = (16, 24);
        let a: Vec<f32> = (0..8 * k).map(|i| (i % 7) as f32 - 3.0).collect();
        let b: Vec<f32> = (0..k * n).map(|i| (i % 5) as f32 - 2.0).collect();
        let mut sum: Vec<f32> = (0..8 * n).map(|i| i as f32).collect();
        add_product(k, n, &a, &b, &mut sum);
        for (row, column) in (0..8).flat_map(|r| (0..n).map(move |c| (r, c))) {
            let wanted = (0..k).fold((row * n + column) as f32, |sum, i| sum + a[row * k + i] * b[i * n + column]);
            assert_eq!(sum[row * n + column], wanted);
        }
    }
}
