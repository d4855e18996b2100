//! Conversions between types.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Reg;
use super::super::ops::{Binary, Unary};
use super::super::wide::WideOp;
use super::addresses::{Atom, Sum};
use super::directed::directed;
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
    /// A double as a float of up to 32 bits, in a direction.
    fn narrowed_by(&mut self, value: [Reg; 2], to: Ty, by: u32) -> Reg {
        let (by, zero) = (self.b.constant(by), self.b.constant(0));
        let op = match to {
            Ty::Float(16) => WideOp::ToHalfBy,
            Ty::Bf16 => WideOp::ToBf16By,
            _ => WideOp::ToSingleBy,
        };
        self.wide_op(op, &[value, [by, zero]])[0]
    }

    pub(super) fn convert(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, sources @ ..] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let (to, from) = match (i.types().as_slice(), sources) {
            ([to, from], [_]) => (*to, *from),
            // Two floats become two halves, the first in the high part.
            ([to @ (Ty::F16x2 | Ty::Bf16x2), Ty::Float(32)], [high, low]) => {
                let one = if *to == Ty::F16x2 { Ty::Float(16) } else { Ty::Bf16 };
                let (high, low) = (self.word(high, Ty::Float(32))?, self.word(low, Ty::Float(32))?);
                let [high, low] = [high, low].map(|value| self.as_half(i, value, one));
                let value = self.both(low, high);
                return self.write_word(dst, value);
            }
            _ => return Err(self.unsupported(i)),
        };
        let [src] = sources else { return Err(self.unsupported(i)) };
        let is_float = |ty: Ty| matches!(ty, Ty::Float(_) | Ty::Bf16);
        match (is_float(from), is_float(to)) {
            (false, false) => self.int_to_int(i, dst, src, to, from),
            (false, true) => self.int_to_float(i, dst, src, to, from),
            (true, false) => self.float_to_int(i, dst, src, to, from),
            (true, true) => self.float_to_float(i, dst, src, to, from),
        }
    }

    /// A single as a 16-bit float, rounded as an instruction says.
    fn as_half(&mut self, i: &Instruction, value: Reg, to: Ty) -> Reg {
        let zero = self.b.constant(0);
        let value = if i.has("relu") { self.b.bin(Binary::FMax, value, zero) } else { value };
        match directed(i) {
            Some(by) => {
                let value = self.wide_op(WideOp::FromSingle, &[[value, zero]]);
                self.narrowed_by(value, to, by)
            }
            None => self.b.un(if to == Ty::Bf16 { Unary::ToBf16 } else { Unary::ToHalf }, value),
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
            return self.saturated(i, dst, src, to, from);
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

    /// An integer at the ends of a narrower type for what does not fit.
    fn saturated(&mut self, i: &Instruction, dst: &Operand, src: &Operand, to: Ty, from: Ty) -> Result<(), Diagnostic> {
        if from.is_wide() || to.bits() >= 32 {
            return Err(self.unsupported(i));
        }
        let value = self.word(src, from)?;
        let value = self.int32(value, from);
        let bits = to.bits();
        let (least, most) = match to.is_signed() {
            true => ((-1_i32 << (bits - 1)).cast_unsigned(), (1_u32 << (bits - 1)) - 1),
            false => (0, (1_u32 << bits) - 1),
        };
        let (least, most) = (self.b.constant(least), self.b.constant(most));
        let value = if from.is_signed() {
            let value = self.b.bin(Binary::IMax, value, least);
            self.b.bin(Binary::IMin, value, most)
        } else {
            self.b.bin(Binary::UMin, value, most)
        };
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

    fn int_to_float(
        &mut self,
        i: &Instruction,
        dst: &Operand,
        src: &Operand,
        to: Ty,
        from: Ty,
    ) -> Result<(), Diagnostic> {
        let zero = self.b.constant(0);
        let signed = from.is_signed();
        let side = directed(i);
        if from.is_wide() {
            let value = self.pair(src)?;
            if to == Ty::Float(64) {
                let op = match (signed, side) {
                    (true, None) => WideOp::FromI64,
                    (false, None) => WideOp::FromU64,
                    (true, _) => WideOp::FromI64By,
                    (false, _) => WideOp::FromU64By,
                };
                let by = self.b.constant(side.unwrap_or(0));
                let value = self.wide_op(op, &[value, [by, zero]]);
                return self.write(dst, value);
            }
            let Some(by) = side else {
                let op = if signed { WideOp::I64ToSingle } else { WideOp::U64ToSingle };
                let value = self.wide_op(op, &[value])[0];
                return self.write_single(dst, value, to);
            };
            if to == Ty::Float(32) {
                let op = if signed { WideOp::I64ToSingleBy } else { WideOp::U64ToSingleBy };
                let by = self.b.constant(by);
                let value = self.wide_op(op, &[value, [by, zero]])[0];
                return self.write_word(dst, value);
            }
            // Toward zero first: an integer that a double does not hold is not near a number of 16 bits.
            let op = if signed { WideOp::FromI64By } else { WideOp::FromU64By };
            let value = self.wide_op(op, &[value, [zero, zero]]);
            let value = self.narrowed_by(value, to, by);
            return self.write_word(dst, value);
        }
        let value = self.word(src, from)?;
        let value = self.int32(value, from);
        if to == Ty::Float(64) || side.is_some() {
            let op = if signed { WideOp::FromI32 } else { WideOp::FromU32 };
            let value = self.wide_op(op, &[[value, zero]]);
            return match side.filter(|_| to != Ty::Float(64)) {
                Some(by) => {
                    let value = self.narrowed_by(value, to, by);
                    self.write_word(dst, value)
                }
                None => self.write(dst, value),
            };
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
                // Rounded once.
                let value = match (directed(i), to) {
                    (Some(by), to) => self.narrowed_by(value, to, by),
                    (None, Ty::Float(16)) => self.wide_op(WideOp::ToHalf, &[value])[0],
                    (None, Ty::Bf16) => self.wide_op(WideOp::ToBf16, &[value])[0],
                    (None, _) => self.wide_op(WideOp::ToSingle, &[value])[0],
                };
                self.write_word(dst, value)
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
                if to.bits() < 32 && directed(i).is_some() {
                    let value = self.as_half(i, value, to);
                    return self.write_word(dst, value);
                }
                if i.has("relu") {
                    value = self.b.bin(Binary::FMax, value, zero);
                }
                self.write_single(dst, value, to)
            }
        }
    }
}
