//! Functions of floats that take more than one operation.

use super::super::ir::Reg;
use super::super::ops::{Binary, Unary};
use super::super::wide::{Pair, WideOp};
use super::lower::Lower;

impl Lower<'_> {
    pub(super) fn reciprocal(&mut self, [a]: [Reg; 1]) -> Reg {
        let one = self.b.constant(1.0_f32.to_bits());
        self.b.bin(Binary::FDiv, one, a)
    }

    pub(super) fn reciprocal_wide(&mut self, [a]: [Pair<Reg>; 1]) -> Pair<Reg> {
        let one = self.constants(1.0_f64.to_bits());
        self.wide_op(WideOp::FDiv, &[one, a])
    }

    pub(super) fn reciprocal_root(&mut self, a: [Pair<Reg>; 1]) -> Pair<Reg> {
        let root = self.wide_op(WideOp::Sqrt, &a);
        self.reciprocal_wide([root])
    }

    /// `copysign`: the sign of the first operand, the rest of the second.
    pub(super) fn with_sign(&mut self, [a, b]: [Reg; 2]) -> Reg {
        let sign = self.with_constant(Binary::And, a, 1 << 31);
        let rest = self.with_constant(Binary::And, b, u32::MAX >> 1);
        self.b.bin(Binary::Or, sign, rest)
    }

    pub(super) fn with_sign_wide(&mut self, [a, b]: [Pair<Reg>; 2]) -> Pair<Reg> {
        let sign = self.constants(1 << 63);
        let (sign, rest) = (self.wide_op(WideOp::And, &[a, sign]), self.wide_op(WideOp::FAbs, &[b]));
        self.wide_op(WideOp::Or, &[sign, rest])
    }

    pub(super) fn is_number(&mut self, [a]: [Reg; 1]) -> Reg {
        let is_nan = self.b.un(Unary::IsNan, a);
        self.b.un(Unary::Not, is_nan)
    }

    pub(super) fn is_finite(&mut self, [a]: [Reg; 1]) -> Reg {
        let (is_nan, is_infinite) = (self.b.un(Unary::IsNan, a), self.b.un(Unary::IsInf, a));
        let either = self.b.bin(Binary::Or, is_nan, is_infinite);
        self.b.un(Unary::Not, either)
    }
}
