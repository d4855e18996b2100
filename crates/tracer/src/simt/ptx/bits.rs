//! Operations on bits that take more than one: shifts, fields, masks, any function of three bits.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Reg;
use super::super::ops::{Binary, Ternary, Unary};
use super::super::wide::WideOp;
use super::lower::Lower;
use super::module::{Instruction, Ty};

impl Lower<'_> {
    /// `cnot`: 1 of 0, 0 of others.
    pub(super) fn is_zero(&mut self, i: &Instruction, a: &[Reg]) -> Result<Reg, Diagnostic> {
        let ([a], zero) = (self.exactly(i, a)?, self.b.constant(0));
        Ok(self.b.bin(Binary::IEq, a, zero))
    }

    /// `shl` and `shr` of unsigned integers.
    pub(super) fn shifted(&mut self, i: &Instruction, op: Binary, a: &[Reg]) -> Result<Reg, Diagnostic> {
        let [a, by] = self.exactly(i, a)?;
        Ok(self.shifted_by(op, a, by))
    }

    /// A shift by as many bits as a word has, or more, gives 0.
    fn shifted_by(&mut self, op: Binary, a: Reg, by: Reg) -> Reg {
        let shifted = self.b.bin(op, a, by);
        if self.b.const_value(by).is_some_and(|by| by < 32) {
            return shifted;
        }
        let (zero, limit) = (self.b.constant(0), self.b.constant(32));
        let fits = self.b.bin(Binary::ULt, by, limit);
        self.b.tri(Ternary::Select, fits, shifted, zero)
    }

    /// `shr` of signed integers.
    pub(super) fn shifted_signed(&mut self, i: &Instruction, bits: u8, a: &[Reg]) -> Result<Reg, Diagnostic> {
        let ([a, by], most) = (self.exactly(i, a)?, self.b.constant(31));
        let a = if bits < 32 { self.sign_extended(a, bits) } else { a };
        let by = self.b.bin(Binary::UMin, by, most);
        Ok(self.b.bin(Binary::IShr, a, by))
    }

    /// `shf.clamp`: from 32 bits on, all of the word that is shifted in.
    pub(super) fn funnel_clamped(&mut self, i: &Instruction, op: Ternary, a: &[Reg]) -> Result<Reg, Diagnostic> {
        let ([low, high, by], most) = (self.exactly(i, a)?, self.b.constant(32));
        let all = if op == Ternary::FunnelLeft { low } else { high };
        let by = self.b.bin(Binary::UMin, by, most);
        let (shifted, whole) = (self.b.tri(op, low, high, by), self.b.bin(Binary::IEq, by, most));
        Ok(self.b.tri(Ternary::Select, whole, all, shifted))
    }

    /// `bfind.shiftamt`: the shift that moves the first bit to the top; all ones if there is none.
    pub(super) fn leading_distance(&mut self, i: &Instruction, a: &[Reg]) -> Result<Reg, Diagnostic> {
        let [a] = self.exactly(i, a)?;
        let (zero, ones) = (self.b.constant(0), self.b.constant(u32::MAX));
        let leading = self.b.un(Unary::CountLeadingZeros, a);
        let none = self.b.bin(Binary::IEq, a, zero);
        Ok(self.b.tri(Ternary::Select, none, ones, leading))
    }

    /// `prmt` without a mode.
    pub(super) fn permuted(&mut self, i: &Instruction, a: &[Reg]) -> Result<Reg, Diagnostic> {
        let [a, b, selector] = self.exactly(i, a)?;
        if i.words.len() != 2 {
            return Err(self.unsupported(i));
        }
        Ok(self.b.tri(Ternary::Permute, a, b, selector))
    }

    /// As many ones as `len`, from bit `at` on.
    fn ones(&mut self, at: Reg, len: Reg) -> Reg {
        let (ones, zero) = (self.b.constant(u32::MAX), self.b.constant(0));
        let mask = self.b.tri(Ternary::UField, ones, zero, len);
        self.shifted_by(Binary::Shl, mask, at)
    }

    /// `bfi`.
    pub(super) fn inserted(&mut self, i: &Instruction, a: &[Reg]) -> Result<Reg, Diagnostic> {
        let [field, into, at, len] = self.exactly(i, a)?;
        let mask = self.ones(at, len);
        let field = self.shifted_by(Binary::Shl, field, at);
        let field = self.b.bin(Binary::And, field, mask);
        let keep = self.b.un(Unary::BitNot, mask);
        let kept = self.b.bin(Binary::And, into, keep);
        Ok(self.b.bin(Binary::Or, kept, field))
    }

    /// `bfi` of 64 bits.
    pub(super) fn inserted_wide(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, field, into, at, len] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let (zero, one) = (self.b.constant(0), self.constants(1));
        let (at, len) = ([self.word(at, Ty::Bits(32))?, zero], [self.word(len, Ty::Bits(32))?, zero]);
        let (field, into) = (self.pair(field)?, self.pair(into)?);
        let end = self.wide_op(WideOp::Shl, &[one, len]);
        let mask = self.wide_op(WideOp::Sub, &[end, one]);
        let field = self.wide_op(WideOp::And, &[field, mask]);
        let (field, mask) = (self.wide_op(WideOp::Shl, &[field, at]), self.wide_op(WideOp::Shl, &[mask, at]));
        let keep = self.wide_op(WideOp::Not, &[mask]);
        let kept = self.wide_op(WideOp::And, &[into, keep]);
        let value = self.wide_op(WideOp::Or, &[kept, field]);
        self.write(dst, value)
    }

    /// A number of bits, or with `wrap` its lowest five.
    fn wrapped(&mut self, i: &Instruction, bits: Reg) -> Reg {
        let most = self.b.constant(31);
        if i.has("wrap") { self.b.bin(Binary::And, bits, most) } else { bits }
    }

    /// `bmsk`.
    pub(super) fn bit_mask(&mut self, i: &Instruction, a: &[Reg]) -> Result<Reg, Diagnostic> {
        let [at, len] = self.exactly(i, a)?.map(|bits| self.wrapped(i, bits));
        Ok(self.ones(at, len))
    }

    /// `szext`: a number of as many bits, extended.
    pub(super) fn extended_from(&mut self, i: &Instruction, op: Ternary, a: &[Reg]) -> Result<Reg, Diagnostic> {
        let [a, len] = self.exactly(i, a)?;
        let (zero, len) = (self.b.constant(0), self.wrapped(i, len));
        Ok(self.b.tri(op, a, zero, len))
    }

    /// `lop3`: any function of three bits, as the sum of its true rows.
    pub(super) fn lookup(&mut self, i: &Instruction, a: &[Reg]) -> Result<Reg, Diagnostic> {
        let [a, b, c, table] = self.exactly(i, a)?;
        let Some(table) = self.b.const_value(table) else { return Err(self.unsupported(i)) };
        let mut sum = self.b.constant(0);
        for row in (0..8).filter(|row| table >> row & 1 == 1) {
            let mut all = self.b.constant(u32::MAX);
            for (value, bit) in [(a, 4), (b, 2), (c, 1)] {
                let value = if row & bit != 0 { value } else { self.b.un(Unary::BitNot, value) };
                all = self.b.bin(Binary::And, all, value);
            }
            sum = self.b.bin(Binary::Or, sum, all);
        }
        Ok(sum)
    }
}
