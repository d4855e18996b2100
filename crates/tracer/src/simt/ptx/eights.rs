//! Conversions from and to floats of 8 bits, of which an instruction converts two.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Reg;
use super::super::ops::Binary;
use super::super::wide::WideOp;
use super::lower::Lower;
use super::module::{Instruction, Ty};

impl Lower<'_> {
    /// Two singles as floats of 8 bits, the first in the high byte.
    pub(super) fn eights(&mut self, i: &Instruction, op: WideOp, a: &[Reg]) -> Result<Reg, Diagnostic> {
        let zero = self.b.constant(0);
        let both: [Reg; 2] = self.exactly(i, a)?;
        let both = both.map(|value| if i.has("relu") { self.b.bin(Binary::FMax, value, zero) } else { value });
        Ok(self.wide_word(op, &both))
    }

    /// Two halves, or two bfloats, of a word as floats of 8 bits.
    pub(super) fn eights_of_halves(&mut self, i: &Instruction, op: WideOp) -> Result<(), Diagnostic> {
        let ([dst, packed], Some(Ty::F16x2 | Ty::Bf16x2)) = (i.operands.as_slice(), i.types().last()) else {
            return Err(self.unsupported(i));
        };
        let one = if i.has("f16x2") { Ty::Float(16) } else { Ty::Bf16 };
        let packed = self.word(packed, Ty::Bits(32))?;
        let (low, high) = self.split(packed);
        let both = [self.single(high, one), self.single(low, one)];
        let value = self.eights(i, op, &both)?;
        self.write_word(dst, value)
    }

    /// Two floats of 8 bits as halves or bfloats.
    pub(super) fn halves_of_eights(&mut self, i: &Instruction, op: WideOp, a: &[Reg]) -> Result<Reg, Diagnostic> {
        let ([a], eight) = (self.exactly(i, a)?, self.b.constant(8));
        let high = self.b.bin(Binary::UShr, a, eight);
        let (low, high) = (self.wide_word(op, &[a]), self.wide_word(op, &[high]));
        Ok(self.both(low, high))
    }
}
