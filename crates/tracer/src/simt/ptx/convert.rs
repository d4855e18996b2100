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

/// A conversion of one value.
struct Conversion<'a> {
    i: &'a Instruction,
    src: &'a Operand,
    to: Ty,
    from: Ty,
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
        let is_float = |ty: Ty| matches!(ty, Ty::Float(_) | Ty::Bf16);
        let value = match (i.types().as_slice(), sources) {
            ([to, from], [src]) => {
                let of = Conversion { i, src, to: *to, from: *from };
                match (is_float(*from), is_float(*to)) {
                    (false, false) if to.is_wide() && !i.has("sat") => return self.int_to_wide(&of, dst),
                    (false, false) => self.int_to_int(&of)?,
                    (false, true) => self.int_to_float(&of)?,
                    (true, false) => self.float_to_int(&of)?,
                    (true, true) => self.float_to_float(&of)?,
                }
            }
            // Two floats become two halves, the first in the high part.
            ([to @ (Ty::F16x2 | Ty::Bf16x2), Ty::Float(32)], [high, low]) => {
                let one = if *to == Ty::F16x2 { Ty::Float(16) } else { Ty::Bf16 };
                let (high, low) = (self.word(high, Ty::Float(32))?, self.word(low, Ty::Float(32))?);
                let [high, low] = [high, low].map(|value| self.as_half(i, value, one));
                [self.both(low, high), self.b.constant(0)]
            }
            _ => return Err(self.unsupported(i)),
        };
        self.write(dst, value)
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

    /// An integer as one of 64 bits, which stays a sum.
    fn int_to_wide(&mut self, of: &Conversion<'_>, dst: &Operand) -> Result<(), Diagnostic> {
        if of.from.is_wide() {
            let sum = self.sum(of.src)?;
            return self.write_sum(dst, sum);
        }
        let value = self.word(of.src, of.from)?;
        let value = self.int32(value, of.from);
        let atom = if of.from.is_signed() { Atom::Signed(value) } else { Atom::Unsigned(value) };
        self.write_sum(dst, Sum::of(atom))
    }

    fn int_to_int(&mut self, of: &Conversion<'_>) -> Result<[Reg; 2], Diagnostic> {
        let (to, from, saturates) = (of.to, of.from, of.i.has("sat"));
        if saturates && (from.is_wide() || to.bits() >= 32) {
            return Err(self.unsupported(of.i));
        }
        let mut value = if from.is_wide() { self.pair(of.src)?[0] } else { self.word(of.src, from)? };
        if saturates || to.bits() > from.bits() {
            value = self.int32(value, from);
        }
        if saturates {
            value = self.saturated(value, to, from);
        }
        Ok([self.narrowed(value, to), self.b.constant(0)])
    }

    /// An integer at the ends of a narrower type for what does not fit.
    fn saturated(&mut self, value: Reg, to: Ty, from: Ty) -> Reg {
        let bits = to.bits();
        let (least, most) = match to.is_signed() {
            true => ((-1_i32 << (bits - 1)).cast_unsigned(), (1_u32 << (bits - 1)) - 1),
            false => (0, (1_u32 << bits) - 1),
        };
        if !from.is_signed() {
            return self.with_constant(Binary::UMin, value, most);
        }
        let value = self.with_constant(Binary::IMax, value, least);
        self.with_constant(Binary::IMin, value, most)
    }

    /// An integer of fewer bits as one of 32.
    fn int32(&mut self, value: Reg, from: Ty) -> Reg {
        match (from.bits(), from.is_signed()) {
            (32.., _) => value,
            (bits, true) => self.sign_extended(value, bits),
            (bits, false) => self.with_constant(Binary::And, value, (1 << bits) - 1),
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
            (bits, _) => self.with_constant(Binary::And, value, (1 << bits) - 1),
        }
    }

    fn int_to_float(&mut self, of: &Conversion<'_>) -> Result<[Reg; 2], Diagnostic> {
        let (zero, to, side) = (self.b.constant(0), of.to, directed(of.i));
        let pick = |signed: WideOp, unsigned: WideOp| if of.from.is_signed() { signed } else { unsigned };
        if !of.from.is_wide() {
            let value = self.word(of.src, of.from)?;
            let value = self.int32(value, of.from);
            if to == Ty::Float(64) || side.is_some() {
                let value = self.wide_op(pick(WideOp::FromI32, WideOp::FromU32), &[[value, zero]]);
                let side = side.filter(|_| to != Ty::Float(64));
                return Ok(side.map_or(value, |by| [self.narrowed_by(value, to, by), zero]));
            }
            let value = self.b.un(if of.from.is_signed() { Unary::IToF } else { Unary::UToF }, value);
            return Ok([self.half_or_single(value, to), zero]);
        }
        let value = self.pair(of.src)?;
        let by = [self.b.constant(side.unwrap_or(0)), zero];
        Ok(match (to, side) {
            (Ty::Float(64), None) => self.wide_op(pick(WideOp::FromI64, WideOp::FromU64), &[value]),
            (Ty::Float(64), Some(_)) => self.wide_op(pick(WideOp::FromI64By, WideOp::FromU64By), &[value, by]),
            (Ty::Float(32), Some(_)) => self.wide_op(pick(WideOp::I64ToSingleBy, WideOp::U64ToSingleBy), &[value, by]),
            (_, None) => {
                let value = self.wide_op(pick(WideOp::I64ToSingle, WideOp::U64ToSingle), &[value])[0];
                [self.half_or_single(value, to), zero]
            }
            // Toward zero first: an integer that a double does not hold is not near a number of 16 bits.
            (_, Some(by)) => {
                let value = self.wide_op(pick(WideOp::FromI64By, WideOp::FromU64By), &[value, [zero; 2]]);
                [self.narrowed_by(value, to, by), zero]
            }
        })
    }

    /// An `f32` as a float of up to 32 bits.
    fn half_or_single(&mut self, value: Reg, to: Ty) -> Reg {
        match to {
            Ty::Float(16) => self.b.un(Unary::ToHalf, value),
            Ty::Bf16 => self.b.un(Unary::ToBf16, value),
            _ => value,
        }
    }

    /// A float of up to 32 bits as an `f32`.
    pub(super) fn single(&mut self, value: Reg, from: Ty) -> Reg {
        match from {
            Ty::Float(16) => self.b.un(Unary::FromHalf, value),
            Ty::Bf16 => self.with_constant(Binary::Shl, value, 16),
            _ => value,
        }
    }

    fn float_to_int(&mut self, of: &Conversion<'_>) -> Result<[Reg; 2], Diagnostic> {
        let Some((round, round_wide)) = rounding(of.i) else { return Err(self.unsupported(of.i)) };
        let (zero, is_signed) = (self.b.constant(0), of.to.is_signed());
        if of.from == Ty::Float(64) {
            let value = self.pair(of.src)?;
            let value = self.wide_op(round_wide, &[value]);
            let op = match (of.to.is_wide(), is_signed) {
                (true, true) => WideOp::ToI64,
                (true, false) => WideOp::ToU64,
                (false, true) => WideOp::ToI32,
                (false, false) => WideOp::ToU32,
            };
            let value = self.wide_op(op, &[value]);
            return Ok(if of.to.is_wide() { value } else { [self.narrowed(value[0], of.to), zero] });
        }
        let value = self.word(of.src, of.from)?;
        let value = self.single(value, of.from);
        let value = self.b.un(round, value);
        if of.to.is_wide() {
            let op = if is_signed { WideOp::SingleToI64 } else { WideOp::SingleToU64 };
            return Ok(self.wide_op(op, &[[value, zero]]));
        }
        let value = self.b.un(if is_signed { Unary::FToIClamped } else { Unary::FToUClamped }, value);
        Ok([self.narrowed(value, of.to), zero])
    }

    fn float_to_float(&mut self, of: &Conversion<'_>) -> Result<[Reg; 2], Diagnostic> {
        let zero = self.b.constant(0);
        if of.from == Ty::Float(64) {
            let value = self.pair(of.src)?;
            // Rounded once.
            return Ok(match (directed(of.i), of.to) {
                (_, Ty::Float(64)) => rounding(of.i).map_or(value, |(_, op)| self.wide_op(op, &[value])),
                (Some(by), to) => [self.narrowed_by(value, to, by), zero],
                (None, Ty::Float(16)) => self.wide_op(WideOp::ToHalf, &[value]),
                (None, Ty::Bf16) => self.wide_op(WideOp::ToBf16, &[value]),
                (None, _) => self.wide_op(WideOp::ToSingle, &[value]),
            });
        }
        let value = self.word(of.src, of.from)?;
        let mut value = self.single(value, of.from);
        if of.to == Ty::Float(64) {
            return Ok(self.wide_op(WideOp::FromSingle, &[[value, zero]]));
        }
        if let Some((op, _)) = rounding(of.i) {
            value = self.b.un(op, value);
        }
        if of.i.has("sat") {
            value = self.b.un(Unary::Saturate, value);
        }
        if of.to.bits() < 32 && directed(of.i).is_some() {
            return Ok([self.as_half(of.i, value, of.to), zero]);
        }
        if of.i.has("relu") {
            value = self.b.bin(Binary::FMax, value, zero);
        }
        Ok([self.half_or_single(value, of.to), zero])
    }
}
