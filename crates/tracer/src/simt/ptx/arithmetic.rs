//! Arithmetic of integers that takes more than one operation. Sums of 64 bits may be addresses, and stay sums where they can.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Reg;
use super::super::ops::Binary;
use super::super::wide::WideOp;
use super::addresses::{Atom, Sum};
use super::lower::Lower;
use super::module::{Instruction, Operand, Ty};

impl Lower<'_> {
    /// `mul.wide` and `mad.wide`.
    pub(super) fn widening(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, a, b, rest @ ..] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        let signed = ty.is_signed();
        if ty.bits() == 16 {
            let (mut x, mut y) = (self.word(a, ty)?, self.word(b, ty)?);
            if signed {
                (x, y) = (self.sign_extended(x, 16), self.sign_extended(y, 16));
            }
            let mut value = self.b.bin(Binary::IMul, x, y);
            if let [c] = rest {
                let c = self.word(c, Ty::Bits(32))?;
                value = self.b.bin(Binary::IAdd, value, c);
            }
            return self.write_word(dst, value);
        }
        let (x, y) = (self.word(a, ty)?, self.word(b, ty)?);
        // A register times a number stays a sum.
        let factor = |value: u32| if signed { i64::from(value.cast_signed()) } else { i64::from(value) };
        let atom = |reg| if signed { Atom::Signed(reg) } else { Atom::Unsigned(reg) };
        let product = match (self.b.const_value(x), self.b.const_value(y)) {
            (Some(x), Some(y)) => Some(Sum::number(factor(x).wrapping_mul(factor(y)))),
            (Some(by), _) => Sum::of(atom(y)).times(factor(by)),
            (_, Some(by)) => Sum::of(atom(x)).times(factor(by)),
            _ => None,
        };
        let product = product.unwrap_or_else(|| {
            let zero = self.b.constant(0);
            let op = if signed { WideOp::IMulWide } else { WideOp::UMulWide };
            Sum::of(Atom::Pair(self.wide_op(op, &[[x, zero], [y, zero]])))
        });
        match rest {
            [] => self.write_sum(dst, product),
            [c] => {
                let c = self.sum(c)?;
                self.write_added(dst, &product, &c, i)
            }
            _ => Err(self.unsupported(i)),
        }
    }

    /// Writes a sum of two; where that is no sum, its value.
    fn write_added(&mut self, dst: &Operand, a: &Sum, b: &Sum, i: &Instruction) -> Result<(), Diagnostic> {
        if let Some(sum) = a.clone().plus(b) {
            return self.write_sum(dst, sum);
        }
        if a.root.is_some() && b.root.is_some() {
            return Err(self.error(format!("`{}` adds two addresses", i.words.join("."))));
        }
        let (x, y) = (self.computed(a), self.computed(b));
        let value = self.wide_op(WideOp::Add, &[x, y]);
        // Its root stays known: the value is an offset in that memory.
        self.write(dst, value)
    }

    /// Writes the result of an operation on 64 bits as a sum; false if it is not one.
    pub(super) fn stays_sum(&mut self, i: &Instruction, op: WideOp) -> Result<bool, Diagnostic> {
        let [dst, a, b] = i.operands.as_slice() else { return Ok(false) };
        let product = match (op, b) {
            (WideOp::Add, b) => {
                let (a, b) = (self.sum(a)?, self.sum(b)?);
                return self.write_added(dst, &a, &b, i).map(|()| true);
            }
            (WideOp::Sub, b) => {
                let (a, b) = (self.sum(a)?, self.sum(b)?);
                let Some(less) = b.times(-1) else { return Ok(false) };
                return self.write_added(dst, &a, &less, i).map(|()| true);
            }
            (WideOp::Mul, Operand::Whole(by)) => self.sum(a)?.times(by.cast_signed()),
            (WideOp::Shl, Operand::Whole(by @ 0..64)) => self.sum(a)?.times(1_i64.wrapping_shl(*by as u32)),
            _ => None,
        };
        product.map_or(Ok(false), |sum| self.write_sum(dst, sum).map(|()| true))
    }

    /// `mad.lo` of 64 bits.
    pub(super) fn mad_long(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, a, b, c] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let known = match b {
            Operand::Whole(by) => self.sum(a)?.times(by.cast_signed()),
            _ => None,
        };
        let product = match known {
            Some(product) => product,
            None => {
                let (a, b) = (self.pair(a)?, self.pair(b)?);
                Sum::of(Atom::Pair(self.wide_op(WideOp::Mul, &[a, b])))
            }
        };
        let c = self.sum(c)?;
        self.write_added(dst, &product, &c, i)
    }

    /// A sum or difference that ends at the limits of 32 bits: computed in 64.
    pub(super) fn saturating(&mut self, op: WideOp, a: [Reg; 2]) -> Reg {
        let a = a.map(|value| self.widened(value, Ty::Signed(32)));
        let value = self.wide_op(op, &a);
        let (most, least) = (self.constants(i32::MAX as u64), self.constants(i64::from(i32::MIN).cast_unsigned()));
        let value = self.wide_op(WideOp::IMin, &[value, most]);
        self.wide_op(WideOp::IMax, &[value, least])[0]
    }

    /// The high half of a product of 16-bit integers; `shift` extends it.
    pub(super) fn high_half(&mut self, shift: Binary, a: [Reg; 2]) -> Reg {
        let [a, b] = a.map(|value| if shift == Binary::IShr { self.sign_extended(value, 16) } else { value });
        let product = self.b.bin(Binary::IMul, a, b);
        self.with_constant(shift, product, 16)
    }

    /// `mul24.lo`: the product of the low 24 bits of each operand.
    pub(super) fn product_of_24(&mut self, i: &Instruction, a: [Reg; 2]) -> Reg {
        let [a, b] = a.map(|value| match i.has("s32") {
            true => self.sign_extended(value, 24),
            false => self.with_constant(Binary::And, value, 0xff_ffff),
        });
        self.b.bin(Binary::IMul, a, b)
    }

    /// `mad24.lo`: the same, and a sum.
    pub(super) fn product_of_24_and_sum(&mut self, i: &Instruction, [a, b, c]: [Reg; 3]) -> Reg {
        let product = self.product_of_24(i, [a, b]);
        self.b.bin(Binary::IAdd, product, c)
    }

    /// `dp4a`: the products of four bytes each, and a sum.
    pub(super) fn dot4(&mut self, op: WideOp, [x, y, c]: [Reg; 3]) -> Reg {
        let product = self.wide_word(op, &[x, y]);
        self.b.bin(Binary::IAdd, product, c)
    }

    /// `dp2a`: the products of two halves with two bytes.
    pub(super) fn dot2(&mut self, i: &Instruction, op: WideOp, [x, y, c]: [Reg; 3]) -> Reg {
        let bytes = if i.has("hi") { self.with_constant(Binary::UShr, y, 16) } else { y };
        self.dot4(op, [x, bytes, c])
    }

    /// `vabsdiff2`: the differences of two halves, or with `add` their sum and the third operand.
    pub(super) fn differences_of_two(&mut self, i: &Instruction, op: WideOp, [x, y, c]: [Reg; 3]) -> Reg {
        let zero = self.b.constant(0);
        let (x, y) = (self.split(x), self.split(y));
        let [low, high] = [[x.0, y.0], [x.1, y.1]].map(|pair| {
            let [x, y] = pair.map(|half| if op == WideOp::ISad { self.sign_extended(half, 16) } else { half });
            self.wide_word(op, &[x, y, zero])
        });
        if i.has("add") {
            let sum = self.b.bin(Binary::IAdd, low, high);
            return self.b.bin(Binary::IAdd, sum, c);
        }
        let low = self.short(low);
        self.both(low, high)
    }

    /// `vabsdiff4`: the differences of four bytes, or with `add` their sum and the third operand.
    pub(super) fn differences_of_four(&mut self, i: &Instruction, op: WideOp, [x, y, c]: [Reg; 3]) -> Reg {
        let value = self.wide_word(op, &[x, y]);
        if !i.has("add") {
            return value;
        }
        let sum = self.wide_word(WideOp::BytesSum, &[value]);
        self.b.bin(Binary::IAdd, sum, c)
    }
}
