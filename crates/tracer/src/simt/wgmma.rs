//! Products of matrices in shared memory, as PTX's `wgmma` takes them: four warps together, of which each has 16 rows of the result.
//!
//! A *descriptor* says where a factor lies (PTX ISA 9.0, section 9.7.16.5.1, "Shared Memory Matrix Layout", and "Matrix Descriptor Format"):
//! in blocks of 8 lines of as many bytes as are swizzled. Lines run along k, or along the other dimension if the factor is *transposed*.

use super::boxes::{PIECE, swizzled};
use super::matrix::Shape;

/// A product of `64 × k` and `k × n`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wgmma {
    /// Of one warp, whose `m` is 16.
    pub shape: Shape,
    /// Whether the left factor is in registers.
    pub in_registers: bool,
    /// Whether a factor's lines do not run along k.
    pub transposed: [bool; 2],
    /// Whether it is negated.
    pub negated: [bool; 2],
}

impl Wgmma {
    /// The words of shared memory with a row of the left factor, or a column of the right one, by its descriptor.
    pub fn words(self, number: usize, [low, high]: [u32; 2], line: u32) -> Vec<u32> {
        let (of, transposed) = (Descriptor::of(low, high), self.transposed[number]);
        let each = 4 * self.shape.factors[number].per_word();
        let bytes = PIECE / each;
        let word = |k: u32| match transposed {
            false => of.piece(line, k / each, false) + k % each * bytes,
            true => of.piece(k, line / each, true) + line % each * bytes,
        };
        let mut words: Vec<u32> = (0..self.shape.k).map(|k| word(k) & !3).collect();
        words.dedup();
        words
    }
}

/// A factor's place in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    start: u32,
    /// From a block to the next along a line.
    leading: u32,
    /// From a block to the next across lines.
    stride: u32,
    /// Bytes of a block's lines, which are swizzled over as many; 16 if they are not.
    width: u32,
}

impl Descriptor {
    pub fn of(low: u32, high: u32) -> Self {
        let width = match high >> 30 {
            1 => 128,
            2 => 64,
            3 => 32,
            _ => PIECE,
        };
        let field = |bits: u32| (bits & 0x3FFF) << 4;
        Self { start: field(low), leading: field(low >> 16), stride: field(high), width }
    }

    /// The address of a piece. Of a factor along k it is piece `piece` of line `line`; of a transposed one, line `line` is one of k.
    pub fn piece(self, line: u32, piece: u32, transposed: bool) -> u32 {
        let pieces = self.width / PIECE;
        let (block, within) = (line / 8, line % 8 * self.width);
        let offset = match (self.width == PIECE, transposed) {
            (true, false) => block * self.stride + piece * self.leading + within,
            (true, true) => block * self.leading + piece * self.stride + within,
            (false, false) => block * self.stride + within + piece * PIECE,
            (false, true) => block * self.stride + piece / pieces * self.leading + within + piece % pieces * PIECE,
        };
        swizzled(self.start.wrapping_add(offset), if pieces == 1 { 0 } else { self.width })
    }
}

/// The pieces of a factor: of lines `first` to `first + count` if along k; else those that have them.
pub fn pieces(
    shape: Shape,
    number: usize,
    transposed: bool,
    (first, count): (u32, u32),
) -> impl Iterator<Item = (u32, u32)> {
    let each = 4 * shape.factors[number].per_word();
    let (lines, pieces) = match transposed {
        false => (first..first + count, 0..shape.k / each),
        true => (0..shape.k, first / each..(first + count) / each),
    };
    lines.flat_map(move |line| pieces.clone().map(move |piece| (line, piece)))
}

/// A product that may still read its factors.
#[derive(Clone, Copy, Debug)]
pub struct Pending {
    /// The operation that began it.
    pub id: u32,
    /// Its factors, if they are in shared memory.
    pub of: [Option<Descriptor>; 2],
}

/// Calls `to` with the numbers of a piece of shared memory; says whether it is inside.
#[inline(always)]
pub fn numbers(shape: Shape, number: usize, (address, shared): (u32, &[u32]), mut to: impl FnMut(usize, f32)) -> bool {
    let first = address as usize / 4;
    let Some(words) = shared.get(first..first + 4) else { return false };
    let per = shape.factors[number].per_word() as usize;
    for (w, word) in words.iter().enumerate() {
        shape.factors[number].each(*word, |i, value| to(w * per + i, value));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors() {
        // 128 bytes swizzled, blocks 1024 bytes apart, the next columns 8192 bytes further.
        let bits = 1_u64 << 62 | (1024_u64 >> 4) << 32 | (8192_u64 >> 4) << 16 | 2048 >> 4;
        let descriptor = Descriptor::of((bits & 0xFFFF_FFFF) as u32, (bits >> 32) as u32);
        assert_eq!(descriptor, Descriptor { start: 2048, leading: 8192, stride: 1024, width: 128 });
        // Line 3 of the second block: its piece 1 lies where piece 1 ^ 3 would.
        assert_eq!(descriptor.piece(11, 1, false), 2048 + 1024 + 3 * 128 + 2 * 16);
        // Transposed: pieces 8 and up are in the next columns.
        assert_eq!(descriptor.piece(11, 9, true), 2048 + 1024 + 8192 + 3 * 128 + 2 * 16);
        let plain = Descriptor { width: 16, ..descriptor };
        assert_eq!(plain.piece(11, 1, false), 2048 + 1024 + 8192 + 3 * 16);
        assert_eq!(plain.piece(11, 1, true), 2048 + 8192 + 1024 + 3 * 16);
    }
}
