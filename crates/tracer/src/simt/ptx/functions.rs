//! Functions of floats that take more than one operation.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Reg;
use super::super::ops::{Binary, Unary};
use super::super::wide::WideOp;
use super::lower::Lower;
use super::module::Instruction;

impl Lower<'_> {
    pub(super) fn reciprocal(&mut self, i: &Instruction, a: &[Reg]) -> Result<Reg, Diagnostic> {
        let ([a], one) = (self.exactly(i, a)?, self.b.constant(1.0_f32.to_bits()));
        Ok(self.b.bin(Binary::FDiv, one, a))
    }

    pub(super) fn reciprocal_wide(&mut self, i: &Instruction, a: &[[Reg; 2]]) -> Result<[Reg; 2], Diagnostic> {
        let ([a], one) = (self.exactly(i, a)?, self.constants(1.0_f64.to_bits()));
        Ok(self.wide_op(WideOp::FDiv, &[one, a]))
    }

    pub(super) fn reciprocal_root(&mut self, i: &Instruction, a: &[[Reg; 2]]) -> Result<[Reg; 2], Diagnostic> {
        let [a] = self.exactly(i, a)?;
        let root = self.wide_op(WideOp::Sqrt, &[a]);
        self.reciprocal_wide(i, &[root])
    }

    /// `copysign`: the sign of the first operand, the rest of the second.
    pub(super) fn with_sign(&mut self, i: &Instruction, a: &[Reg]) -> Result<Reg, Diagnostic> {
        let [a, b] = self.exactly(i, a)?;
        let (sign, rest) = (self.b.constant(1 << 31), self.b.constant(u32::MAX >> 1));
        let (a, b) = (self.b.bin(Binary::And, a, sign), self.b.bin(Binary::And, b, rest));
        Ok(self.b.bin(Binary::Or, a, b))
    }

    pub(super) fn with_sign_wide(&mut self, i: &Instruction, a: &[[Reg; 2]]) -> Result<[Reg; 2], Diagnostic> {
        let ([a, b], sign) = (self.exactly(i, a)?, self.constants(1 << 63));
        let (sign, rest) = (self.wide_op(WideOp::And, &[a, sign]), self.wide_op(WideOp::FAbs, &[b]));
        Ok(self.wide_op(WideOp::Or, &[sign, rest]))
    }

    pub(super) fn is_number(&mut self, i: &Instruction, a: &[Reg]) -> Result<Reg, Diagnostic> {
        let [a] = self.exactly(i, a)?;
        let is_nan = self.b.un(Unary::IsNan, a);
        Ok(self.b.un(Unary::Not, is_nan))
    }

    pub(super) fn is_finite(&mut self, i: &Instruction, a: &[Reg]) -> Result<Reg, Diagnostic> {
        let [a] = self.exactly(i, a)?;
        let (is_nan, is_infinite) = (self.b.un(Unary::IsNan, a), self.b.un(Unary::IsInf, a));
        let either = self.b.bin(Binary::Or, is_nan, is_infinite);
        Ok(self.b.un(Unary::Not, either))
    }
}
