//! Products of matrices in shared memory, as PTX's `wgmma` takes them: four warps together, of which each has 16 rows of the result.
//!
//! A *descriptor* says where a factor lies (PTX ISA 9.0, section 9.7.16.5.1, "Shared Memory Matrix Layout", and "Matrix Descriptor Format"):
//! in blocks of 8 lines of as many bytes as are swizzled. Lines run along k, or along the other dimension if the factor is *transposed*.

use super::boxes::{PIECE, in_warps, swizzled};
use super::collective::Collective;
use super::matrix::{Shape, add_product};
use super::observers::{Access, Addresses, Observer, Phase};
use super::warp::{Surroundings, Warp};
use crate::trace::{AccessKind, FindingKind};

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
struct Descriptor {
    start: u32,
    /// From a block to the next along a line.
    leading: u32,
    /// From a block to the next across lines.
    stride: u32,
    /// Bytes of a block's lines, which are swizzled over as many; 16 if they are not.
    width: u32,
}

impl Descriptor {
    fn of(low: u32, high: u32) -> Self {
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
    fn piece(self, line: u32, piece: u32, transposed: bool) -> u32 {
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
fn pieces(
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
    id: u32,
    of: [Option<Descriptor>; 2],
}

/// Calls `to` with the numbers of a piece of shared memory; says whether it is inside.
#[inline(always)]
fn numbers(shape: Shape, number: usize, (address, shared): (u32, &[u32]), mut to: impl FnMut(usize, f32)) -> bool {
    let first = address as usize / 4;
    let Some(words) = shared.get(first..first + 4) else { return false };
    let per = shape.factors[number].per_word() as usize;
    for (w, word) in words.iter().enumerate() {
        shape.factors[number].each(*word, |i, value| to(w * per + i, value));
    }
    true
}

impl<const W: usize> Warp<W> {
    pub(super) fn wgmma<O: Observer>(
        &mut self,
        id: u32,
        how: Wgmma,
        product: &Collective,
        around: &mut Surroundings<'_, O>,
    ) {
        let Wgmma { shape, in_registers, .. } = how;
        around.fuel = around.fuel.saturating_sub(u64::from(shape.n * shape.k / 32));
        let descriptor = |regs: &[u32]| Descriptor::of(self.value(regs, 0, 0), self.value(regs, 1, 0));
        let of = [(!in_registers).then(|| descriptor(&product.a)), Some(descriptor(&product.b))];
        let pending = Pending { id, of };
        if O::ACTIVE {
            self.see_factors(pending, Phase::Reads, around);
        }
        if let Some(address) = self.multiply_in_shared(how, of, around.at.warp % 4 * 16, product, around.shared) {
            let bytes = around.shared.len() * 4;
            around.report(around.code.lines[self.pc - 1], FindingKind::OutOfBounds, |at, _| {
                format!(
                    "a matrix's descriptor leads to byte {address} of shared memory, which has {bytes} (workgroup {}, warp {})",
                    at.workgroup, at.warp
                )
            });
        }
        self.products.begin(self.mask, pending);
    }

    /// The product for 16 rows from `row` on; gives an address outside of shared memory, if there was one.
    fn multiply_in_shared(
        &mut self,
        Wgmma { shape, transposed, negated, .. }: Wgmma,
        of: [Option<Descriptor>; 2],
        row: u32,
        product: &Collective,
        shared: &[u32],
    ) -> Option<u32> {
        let (n, k) = (shape.n as usize, shape.k as usize);
        let mut outside = None;
        let mut a = vec![0.0; 16 * k];
        match of[0] {
            None => self.read_left(shape, &product.a, &mut a),
            Some(of) => {
                for (line, piece) in pieces(shape, 0, transposed[0], (row, 16)) {
                    let address = of.piece(line, piece, transposed[0]);
                    let inside = numbers(shape, 0, (address, shared), |i, value| {
                        let along = (piece * 4 * shape.factors[0].per_word()) as usize + i;
                        let (r, c) = match transposed[0] {
                            true => (along - row as usize, line as usize),
                            false => ((line - row) as usize, along),
                        };
                        a[r * k + c] = value;
                    });
                    outside = outside.or((!inside).then_some(address));
                }
            }
        }
        let mut b = vec![0.0; k * n];
        if let Some(of) = of[1] {
            for (line, piece) in pieces(shape, 1, transposed[1], (0, shape.n)) {
                let address = of.piece(line, piece, transposed[1]);
                let inside = numbers(shape, 1, (address, shared), |i, value| {
                    let along = (piece * 4 * shape.factors[1].per_word()) as usize + i;
                    let (r, c) = if transposed[1] { (line as usize, along) } else { (along, line as usize) };
                    b[r * n + c] = value;
                });
                outside = outside.or((!inside).then_some(address));
            }
        }
        if negated[0] != negated[1] {
            a.iter_mut().for_each(|value| *value = -*value);
        }
        let mut sum = vec![0.0; 16 * n];
        // Without its scale, a product is not added to anything.
        let lane = self.mask.trailing_zeros().min(W as u32 - 1);
        if product.b.len() < 3 || self.value(&product.b, 2, lane) != 0 {
            self.read_sums(shape, &product.c, &mut sum);
        }
        add_product(k, n, &a, &b, &mut sum);
        self.write_sums(shape, &sum, &product.d);
        outside
    }

    /// Waits for products.
    pub(super) fn wait_for_products<O: Observer>(&mut self, left: Option<u32>, around: &mut Surroundings<'_, O>) {
        for (_, pending) in self.products.wait(self.mask, left) {
            if O::ACTIVE {
                // Up to now the factors were read.
                self.see_factors(pending, Phase::HasRead, around);
            }
        }
    }

    fn see_factors<O: Observer>(&self, pending: Pending, phase: Phase, around: &mut Surroundings<'_, O>) {
        let of = &around.code.collectives[pending.id as usize];
        let (super::collective::What::Wgmma(how), Some(site)) = (of.what, of.other) else { return };
        let place = &around.code.places[site as usize];
        let row = around.at.warp % 4 * 16;
        let end = around.shared.len() as u32 * 4;
        let observer = &mut *around.observer;
        for (number, lines) in [(0, (row, 16)), (1, (0, how.shape.n))] {
            let Some(descriptor) = pending.of[number] else { continue };
            let transposed = how.transposed[number];
            let pieces = pieces(how.shape, number, transposed, lines);
            let pieces = pieces.map(|(line, piece)| {
                let address = descriptor.piece(line, piece, transposed);
                (address + PIECE <= end).then_some(address)
            });
            in_warps::<W>(pieces, |mask, addresses| {
                let (kind, addresses) = (AccessKind::Load, Addresses::Lanes(addresses));
                let access = Access { site, place, kind, op: None, operand: None, mask, addresses, actor: None };
                observer.later(&access, phase);
            });
        }
    }
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
