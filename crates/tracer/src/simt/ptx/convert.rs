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

/// The operation that rounds a double to a single toward a side that an instruction names; None if to the nearest.
pub(super) fn directed(i: &Instruction) -> Option<WideOp> {
    i.words[1..].iter().find_map(|word| match word.as_str() {
        "rz" => Some(WideOp::ToSingleZero),
        "rm" => Some(WideOp::ToSingleDown),
        "rp" => Some(WideOp::ToSingleUp),
        _ => None,
    })
}

impl Lower<'_> {
    /// `div`, `rcp` and `sqrt` of singles, rounded toward a side: a double holds enough of the exact value.
    pub(super) fn directed_function(&mut self, i: &Instruction, to: WideOp) -> Result<(), Diagnostic> {
        let zero = self.b.constant(0);
        let sources = self.sources(i, Ty::Float(32))?;
        let a: Vec<[Reg; 2]> =
            sources.into_iter().map(|source| self.wide_op(WideOp::FromSingle, &[[source, zero]])).collect();
        let one = self.constants(1.0_f64.to_bits());
        let value = match (i.words[0].as_str(), a.as_slice()) {
            ("div", [a, b]) => self.wide_op(WideOp::FDiv, &[*a, *b]),
            ("rcp", [a]) => self.wide_op(WideOp::FDiv, &[one, *a]),
            ("sqrt", [a]) => self.wide_op(WideOp::Sqrt, &[*a]),
            _ => return Err(self.unsupported(i)),
        };
        let value = self.wide_op(to, &[value])[0];
        self.write_word(&i.operands[0], value)
    }

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
            (false, true) => self.int_to_float(i, dst, src, to, from),
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
        let side = directed(i);
        // A word fits in a double; of what does not, or goes to a half, the side is not known.
        if side.is_some() && (from.is_wide() || to != Ty::Float(32) && to != Ty::Float(64)) {
            return Err(self.unsupported(i));
        }
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
        if let Some(to) = side {
            let op = if signed { WideOp::FromI32 } else { WideOp::FromU32 };
            let value = self.wide_op(op, &[[value, zero]]);
            let value = self.wide_op(to, &[value])[0];
            return self.write_word(dst, value);
        }
        let value = self.b.un(if signed { Unary::IToF } else { Unary::UToF }, value);
        self.write_single(dst, value, to)
    }

    fn write_half(&mut self, dst: &Operand, op: WideOp, value: [Reg; 2]) -> Result<(), Diagnostic> {
        let value = self.wide_op(op, &[value])[0];
        self.write_word(dst, value)
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
                let side = directed(i);
                if side.is_some() && to != Ty::Float(32) {
                    return Err(self.unsupported(i));
                }
                let value = match (side, to) {
                    // Rounded once.
                    (None, Ty::Float(16)) => return self.write_half(dst, WideOp::ToHalf, value),
                    (None, Ty::Bf16) => return self.write_half(dst, WideOp::ToBf16, value),
                    (side, _) => self.wide_op(side.unwrap_or(WideOp::ToSingle), &[value])[0],
                };
                self.write_single(dst, value, to)
            }
            (_, Ty::Float(64)) => {
                let value = self.word(src, from)?;
                let value = self.single(value, from);
                let value = self.wide_op(WideOp::FromSingle, &[[value, zero]]);
                self.write(dst, value)
            }
            _ => {
                if directed(i).is_some() && to.bits() < 32 {
                    return Err(self.unsupported(i));
                }
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
