//! The copy engine: boxes of a row-major matrix to shared memory and back, as PTX's `cp.async.bulk.tensor` moves them by a tensor map, and
//! runs of bytes, as `cp.async.bulk` moves them without one.
//!
//! Within shared memory the 16-byte pieces of a box are *swizzled*: bits 4 and up of an address are changed by bits 7 and up (PTX ISA 9.0,
//! section 5.5.5, "Swizzling Modes").

/// Bytes of a piece, which stays together.
pub const PIECE: u32 = 16;

/// The operand of a run of bytes that is its size, after its place in shared memory, its column, its row and its barrier.
pub const SIZE: usize = 4;

/// The boxes of a tensor map of two dimensions, in bytes and rows. A run of bytes is a box of one row, in a matrix of one row; its size
/// is an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boxes {
    /// Whether boxes go to shared memory; else they come from there.
    pub load: bool,
    /// Bytes of an element.
    pub elem: u32,
    /// Bytes of a row of the matrix.
    pub pitch: u32,
    /// Its rows.
    pub rows: u32,
    /// Bytes of a row of a box.
    pub width: u32,
    /// Rows of a box.
    pub height: u32,
    /// Bytes over which pieces are swizzled: 32, 64 or 128; 0 for not at all.
    pub swizzle: u32,
}

/// The address of a piece of shared memory, where addresses are swizzled over `swizzle` bytes.
pub fn swizzled(address: u32, swizzle: u32) -> u32 {
    let pieces = (swizzle / PIECE).max(1);
    address ^ (address >> 7 & (pieces - 1)) << 4
}

impl Boxes {
    /// Runs of bytes, whose sizes are operands.
    pub fn run(load: bool) -> Self {
        Self { load, elem: 1, pitch: u32::MAX / PIECE * PIECE, rows: 1, width: 0, height: 1, swizzle: 0 }
    }

    pub fn is_run(self) -> bool {
        self.rows == 1 && self.elem == 1
    }

    /// The box that one lane moves; `size` is the operand of a run.
    pub fn of_lane(self, size: impl FnOnce() -> u32) -> Self {
        if self.is_run() { Self { width: size(), ..self } } else { self }
    }

    pub fn bytes(self) -> u32 {
        self.width * self.height
    }

    /// Where byte `byte` of the matrix is in the box at column `x` and row `y`, if it is in it.
    pub fn place_of(self, x: i32, y: i32, byte: u32) -> Option<u32> {
        let (row, column) = (i64::from(byte / self.pitch.max(1)), i64::from(byte % self.pitch.max(1)));
        let (down, across) = (row - i64::from(y), column - i64::from(x) * i64::from(self.elem));
        let inside = (0..i64::from(self.height)).contains(&down) && (0..i64::from(self.width)).contains(&across);
        inside.then(|| u32::try_from(down * i64::from(self.width) + across).unwrap_or(0))
    }

    /// Byte `at` of the box at column `x` and row `y`, as one of the matrix, if it is inside.
    pub fn byte_of(self, x: i32, y: i32, at: u32) -> Option<u32> {
        let (row, column) = (at / self.width.max(1), at % self.width.max(1));
        let (row, column) = (i64::from(row) + i64::from(y), i64::from(column) + i64::from(x) * i64::from(self.elem));
        let inside = (0..i64::from(self.rows)).contains(&row) && (0..i64::from(self.pitch)).contains(&column);
        inside.then(|| u32::try_from(row * i64::from(self.pitch) + column).unwrap_or(0))
    }

    /// Each piece of the box at column `x` and row `y`: where it is in the box, and in the matrix if it is inside.
    pub fn pieces(self, x: i32, y: i32) -> impl Iterator<Item = (u32, Option<u32>)> {
        let left = i64::from(x) * i64::from(self.elem);
        (0..self.bytes()).step_by(PIECE as usize).map(move |at| {
            let (row, column) = (i64::from(y) + i64::from(at / self.width), left + i64::from(at % self.width));
            let inside = (0..i64::from(self.rows)).contains(&row)
                && (0..=i64::from(self.pitch) - i64::from(PIECE)).contains(&column);
            (at, inside.then(|| u32::try_from(row * i64::from(self.pitch) + column).unwrap_or(u32::MAX)))
        })
    }
}

/// A box on its way to shared memory.
#[derive(Clone, Debug)]
pub struct Flight {
    /// The operation that asked for it, and the lane.
    pub id: u32,
    pub lane: u32,
    /// Its form.
    pub boxes: Boxes,
    /// Where it goes.
    pub to: u32,
    /// The barrier that counts its bytes.
    pub barrier: u32,
    /// Its content.
    pub words: Vec<u32>,
}

/// A stretch of shared memory that is being read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The operation that asked for it.
    pub id: u32,
    /// Its form.
    pub boxes: Boxes,
    /// Where it begins.
    pub from: u32,
}

/// Calls `visit` with up to 32 pieces at a time: their lanes as a mask, and their addresses.
pub fn in_warps<const W: usize>(pieces: impl Iterator<Item = Option<u32>>, mut visit: impl FnMut(u64, &[u32; W])) {
    let (mut addresses, mut mask, mut n) = ([0; W], 0_u64, 0);
    for piece in pieces {
        if let Some(address) = piece {
            addresses[n] = address;
            mask |= 1 << n;
        }
        n += 1;
        if n == W {
            if mask != 0 {
                visit(mask, &addresses);
            }
            (mask, n) = (0, 0);
        }
    }
    if mask != 0 {
        visit(mask, &addresses);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_eight_rows_are_in_different_banks() {
        for (swizzle, rows) in [(128, 8), (64, 8), (32, 8)] {
            // One column of pieces, in rows of as many bytes as are swizzled.
            let mut banks: Vec<u32> = (0..rows).map(|row| swizzled(row * swizzle, swizzle) % 128).collect();
            banks.sort_unstable();
            assert_eq!(banks, (0..8).map(|i| i * 16).collect::<Vec<_>>());
        }
        assert_eq!(swizzled(0x3F0, 0), 0x3F0);
    }

    #[test]
    fn what_is_outside_of_the_matrix_is_no_piece() {
        let boxes = Boxes { load: true, elem: 2, pitch: 64, rows: 3, width: 32, height: 2, swizzle: 0 };
        let at = |x, y| boxes.pieces(x, y).map(|(_, piece)| piece).collect::<Vec<_>>();
        assert_eq!(at(8, 1), [Some(80), Some(96), Some(144), Some(160)]);
        assert_eq!(at(24, 2), [Some(176), None, None, None]);
        assert_eq!(at(-8, -1), [None, None, None, Some(0)]);
    }
}
