//! Conversions from and to floats of 8 bits, of which an instruction converts two.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Reg;
use super::super::ops::Binary;
use super::super::wide::WideOp;
use super::lower::Lower;
use super::module::{Instruction, Ty};

impl Lower<'_> {
    /// Two singles as floats of 8 bits, the first in the high byte.
    pub(super) fn eights(&mut self, i: &Instruction, op: WideOp, a: [Reg; 2]) -> Reg {
        let zero = self.b.constant(0);
        let a = a.map(|value| if i.has("relu") { self.b.bin(Binary::FMax, value, zero) } else { value });
        self.wide_word(op, &a)
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
        let value = self.eights(i, op, both);
        self.write_word(dst, value)
    }

    /// Two floats of 8 bits as halves or bfloats.
    pub(super) fn halves_of_eights(&mut self, op: WideOp, [a]: [Reg; 1]) -> Reg {
        let high = self.with_constant(Binary::UShr, a, 8);
        let (low, high) = (self.wide_word(op, &[a]), self.wide_word(op, &[high]));
        self.both(low, high)
    }
}
