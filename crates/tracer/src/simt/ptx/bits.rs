//! Operations on bits that take more than one: shifts, fields, masks, any function of three bits.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Reg;
use super::super::ops::{Binary, Ternary, Unary};
use super::super::wide::WideOp;
use super::lower::Lower;
use super::module::{Instruction, Ty};

impl Lower<'_> {
    /// `shl`, and `shr` of unsigned integers: a shift by as many bits as a word has, or more, gives 0.
    pub(super) fn shifted(&mut self, op: Binary, [a, by]: [Reg; 2]) -> Reg {
        let shifted = self.b.bin(op, a, by);
        if self.b.const_value(by).is_some_and(|by| by < 32) {
            return shifted;
        }
        let (zero, fits) = (self.b.constant(0), self.with_constant(Binary::ULt, by, 32));
        self.b.tri(Ternary::Select, fits, shifted, zero)
    }

    /// `shr` of signed integers.
    pub(super) fn shifted_signed(&mut self, bits: u8, [a, by]: [Reg; 2]) -> Reg {
        let a = if bits < 32 { self.sign_extended(a, bits) } else { a };
        let by = self.with_constant(Binary::UMin, by, 31);
        self.b.bin(Binary::IShr, a, by)
    }

    /// `shf.clamp`: from 32 bits on, all of the word that is shifted in.
    pub(super) fn funnel_clamped(&mut self, op: Ternary, [low, high, by]: [Reg; 3]) -> Reg {
        let all = if op == Ternary::FunnelLeft { low } else { high };
        let by = self.with_constant(Binary::UMin, by, 32);
        let (shifted, is_whole) = (self.b.tri(op, low, high, by), self.with_constant(Binary::IEq, by, 32));
        self.b.tri(Ternary::Select, is_whole, all, shifted)
    }

    /// `bfind.shiftamt`: the shift that moves the first bit to the top; all ones if there is none.
    pub(super) fn leading_distance(&mut self, [a]: [Reg; 1]) -> Reg {
        let (leading, ones) = (self.b.un(Unary::CountLeadingZeros, a), self.b.constant(u32::MAX));
        let is_zero = self.with_constant(Binary::IEq, a, 0);
        self.b.tri(Ternary::Select, is_zero, ones, leading)
    }

    /// As many ones as `len`, from bit `at` on.
    fn ones(&mut self, at: Reg, len: Reg) -> Reg {
        let (ones, zero) = (self.b.constant(u32::MAX), self.b.constant(0));
        let mask = self.b.tri(Ternary::UField, ones, zero, len);
        self.shifted(Binary::Shl, [mask, at])
    }

    /// `bfi`.
    pub(super) fn inserted(&mut self, [field, into, at, len]: [Reg; 4]) -> Reg {
        let mask = self.ones(at, len);
        let field = self.shifted(Binary::Shl, [field, at]);
        let field = self.b.bin(Binary::And, field, mask);
        let keep = self.b.un(Unary::BitNot, mask);
        let kept = self.b.bin(Binary::And, into, keep);
        self.b.bin(Binary::Or, kept, field)
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
        if i.has("wrap") { self.with_constant(Binary::And, bits, 31) } else { bits }
    }

    /// `bmsk`.
    pub(super) fn bit_mask(&mut self, i: &Instruction, a: [Reg; 2]) -> Reg {
        let [at, len] = a.map(|bits| self.wrapped(i, bits));
        self.ones(at, len)
    }

    /// `szext`: a number of as many bits, extended.
    pub(super) fn extended_from(&mut self, i: &Instruction, op: Ternary, [a, len]: [Reg; 2]) -> Reg {
        let (zero, len) = (self.b.constant(0), self.wrapped(i, len));
        self.b.tri(op, a, zero, len)
    }

    /// `lop3`: any function of three bits, as the sum of its true rows.
    pub(super) fn lookup(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let sources = self.sources(i)?;
        let [a, b, c, table] = sources.as_slice() else { return Err(self.unsupported(i)) };
        let Some(table) = self.b.const_value(*table) else { return Err(self.unsupported(i)) };
        let mut sum = self.b.constant(0);
        for row in (0..8).filter(|row| table >> row & 1 == 1) {
            let mut all = self.b.constant(u32::MAX);
            for (value, bit) in [(*a, 4), (*b, 2), (*c, 1)] {
                let value = if row & bit != 0 { value } else { self.b.un(Unary::BitNot, value) };
                all = self.b.bin(Binary::And, all, value);
            }
            sum = self.b.bin(Binary::Or, sum, all);
        }
        self.write_word(&i.operands[0], sum)
    }
}
