//! Conversions between types.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Reg;
use super::super::ops::{Binary, Unary};
use super::super::wide::WideOp;
use super::addresses::{Atom, Sum};
use super::lower::Lower;
use super::module::{Instruction, Operand, Ty};

/// How a float becomes an integer.
fn rounding(i: &Instruction) -> Option<(Unary, WideOp)> {
    i.words[1..].iter().find_map(|word| match word.as_str() {
        "rni" => Some((Unary::Round, WideOp::Round)),
        "rzi" => Some((Unary::Trunc, WideOp::Trunc)),
        "rmi" => Some((Unary::Floor, WideOp::Floor)),
        "rpi" => Some((Unary::Ceil, WideOp::Ceil)),
        _ => None,
    })
}

impl Lower<'_> {
    pub(super) fn convert(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, sources @ ..] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let (to, from) = match (i.types().as_slice(), sources) {
            ([to, from], [_]) => (*to, *from),
            // Two floats become two halves, the first in the high part.
            ([to @ (Ty::F16x2 | Ty::Bf16x2), Ty::Float(32)], [high, low]) => {
                let half = if *to == Ty::F16x2 { Unary::ToHalf } else { Unary::ToBf16 };
                let (high, low) = (self.word(high, Ty::Float(32))?, self.word(low, Ty::Float(32))?);
                let (high, low) = (self.b.un(half, high), self.b.un(half, low));
                let sixteen = self.b.constant(16);
                let high = self.b.bin(Binary::Shl, high, sixteen);
                let value = self.b.bin(Binary::Or, high, low);
                return self.write_word(dst, value);
            }
            _ => return Err(self.unsupported(i)),
        };
        let [src] = sources else { return Err(self.unsupported(i)) };
        let is_float = |ty: Ty| matches!(ty, Ty::Float(_) | Ty::Bf16);
        match (is_float(from), is_float(to)) {
            (false, false) => self.int_to_int(i, dst, src, to, from),
            (false, true) => self.int_to_float(dst, src, to, from),
            (true, false) => self.float_to_int(i, dst, src, to, from),
            (true, true) => self.float_to_float(i, dst, src, to, from),
        }
    }

    fn int_to_int(
        &mut self,
        i: &Instruction,
        dst: &Operand,
        src: &Operand,
        to: Ty,
        from: Ty,
    ) -> Result<(), Diagnostic> {
        if i.has("sat") {
            return Err(self.unsupported(i));
        }
        if from.is_wide() {
            if to.is_wide() {
                let sum = self.sum(src)?;
                return self.write_sum(dst, sum);
            }
            let low = self.pair(src)?[0];
            let value = self.narrowed(low, to);
            return self.write_word(dst, value);
        }
        let value = self.word(src, from)?;
        if to.is_wide() {
            let value = if from.bits() < 32 { self.int32(value, from) } else { value };
            let atom = if from.is_signed() { Atom::Signed(value) } else { Atom::Unsigned(value) };
            return self.write_sum(dst, Sum::of(atom));
        }
        let value = if to.bits() > from.bits() { self.int32(value, from) } else { value };
        let value = self.narrowed(value, to);
        self.write_word(dst, value)
    }

    /// An integer of fewer bits as one of 32.
    fn int32(&mut self, value: Reg, from: Ty) -> Reg {
        match (from.bits(), from.is_signed()) {
            (32.., _) => value,
            (bits, true) => self.sign_extended(value, bits),
            (bits, false) => {
                let mask = self.b.constant((1 << bits) - 1);
                self.b.bin(Binary::And, value, mask)
            }
        }
    }

    /// The low bits of a word as a register holds them.
    fn narrowed(&mut self, value: Reg, to: Ty) -> Reg {
        match (to.bits(), to.is_signed()) {
            (32.., _) => value,
            (8, true) => {
                let value = self.sign_extended(value, 8);
                self.short(value)
            }
            (bits, _) => {
                let mask = self.b.constant((1 << bits) - 1);
                self.b.bin(Binary::And, value, mask)
            }
        }
    }

    fn int_to_float(&mut self, dst: &Operand, src: &Operand, to: Ty, from: Ty) -> Result<(), Diagnostic> {
        let zero = self.b.constant(0);
        let signed = from.is_signed();
        if from.is_wide() {
            let value = self.pair(src)?;
            if to == Ty::Float(64) {
                let op = if signed { WideOp::FromI64 } else { WideOp::FromU64 };
                let value = self.wide_op(op, &[value]);
                return self.write(dst, value);
            }
            let op = if signed { WideOp::I64ToSingle } else { WideOp::U64ToSingle };
            let value = self.wide_op(op, &[value])[0];
            return self.write_single(dst, value, to);
        }
        let value = self.word(src, from)?;
        let value = self.int32(value, from);
        if to == Ty::Float(64) {
            let op = if signed { WideOp::FromI32 } else { WideOp::FromU32 };
            let value = self.wide_op(op, &[[value, zero]]);
            return self.write(dst, value);
        }
        let value = self.b.un(if signed { Unary::IToF } else { Unary::UToF }, value);
        self.write_single(dst, value, to)
    }

    /// Writes an `f32` as a float of up to 32 bits.
    fn write_single(&mut self, dst: &Operand, value: Reg, to: Ty) -> Result<(), Diagnostic> {
        let value = match to {
            Ty::Float(16) => self.b.un(Unary::ToHalf, value),
            Ty::Bf16 => self.b.un(Unary::ToBf16, value),
            _ => value,
        };
        self.write_word(dst, value)
    }

    /// A float of up to 32 bits as an `f32`.
    pub(super) fn single(&mut self, value: Reg, from: Ty) -> Reg {
        match from {
            Ty::Float(16) => self.b.un(Unary::FromHalf, value),
            Ty::Bf16 => {
                let sixteen = self.b.constant(16);
                self.b.bin(Binary::Shl, value, sixteen)
            }
            _ => value,
        }
    }

    fn float_to_int(
        &mut self,
        i: &Instruction,
        dst: &Operand,
        src: &Operand,
        to: Ty,
        from: Ty,
    ) -> Result<(), Diagnostic> {
        let Some((round, round_wide)) = rounding(i) else { return Err(self.unsupported(i)) };
        let signed = to.is_signed();
        let zero = self.b.constant(0);
        if from == Ty::Float(64) {
            let value = self.pair(src)?;
            let value = self.wide_op(round_wide, &[value]);
            let op = match (to.is_wide(), signed) {
                (true, true) => WideOp::ToI64,
                (true, false) => WideOp::ToU64,
                (false, true) => WideOp::ToI32,
                (false, false) => WideOp::ToU32,
            };
            let value = self.wide_op(op, &[value]);
            if to.is_wide() {
                return self.write(dst, value);
            }
            let value = self.narrowed(value[0], to);
            return self.write_word(dst, value);
        }
        let value = self.word(src, from)?;
        let value = self.single(value, from);
        let value = self.b.un(round, value);
        if to.is_wide() {
            let op = if signed { WideOp::SingleToI64 } else { WideOp::SingleToU64 };
            let value = self.wide_op(op, &[[value, zero]]);
            return self.write(dst, value);
        }
        let value = self.b.un(if signed { Unary::FToIClamped } else { Unary::FToUClamped }, value);
        let value = self.narrowed(value, to);
        self.write_word(dst, value)
    }

    fn float_to_float(
        &mut self,
        i: &Instruction,
        dst: &Operand,
        src: &Operand,
        to: Ty,
        from: Ty,
    ) -> Result<(), Diagnostic> {
        let zero = self.b.constant(0);
        match (from, to) {
            (Ty::Float(64), Ty::Float(64)) => {
                let value = self.pair(src)?;
                let value = match rounding(i) {
                    Some((_, op)) => self.wide_op(op, &[value]),
                    None => value,
                };
                self.write(dst, value)
            }
            (Ty::Float(64), _) => {
                let value = self.pair(src)?;
                let value = self.wide_op(WideOp::ToSingle, &[value])[0];
                self.write_single(dst, value, to)
            }
            (_, Ty::Float(64)) => {
                let value = self.word(src, from)?;
                let value = self.single(value, from);
                let value = self.wide_op(WideOp::FromSingle, &[[value, zero]]);
                self.write(dst, value)
            }
            _ => {
                let value = self.word(src, from)?;
                let mut value = self.single(value, from);
                if let Some((op, _)) = rounding(i) {
                    value = self.b.un(op, value);
                }
                if i.has("sat") {
                    value = self.b.un(Unary::Saturate, value);
                }
                if i.has("relu") {
                    value = self.b.bin(Binary::FMax, value, zero);
                }
                self.write_single(dst, value, to)
            }
        }
    }
}
