//! Conversions, comparisons, half precision and operations on bits.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Reg;
use super::super::ops::{Binary, Ternary, Unary};
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
    fn single(&mut self, value: Reg, from: Ty) -> Reg {
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

    /// Arithmetic on halves: exact, then rounded once.
    pub(super) fn arithmetic_half(&mut self, i: &Instruction, ty: Ty) -> Result<(), Diagnostic> {
        let packed = matches!(ty, Ty::F16x2 | Ty::Bf16x2);
        let one = if matches!(ty, Ty::F16x2 | Ty::Float(16)) { Ty::Float(16) } else { Ty::Bf16 };
        let sources = self.sources(i, ty)?;
        if !packed {
            let value = self.half_operation(i, one, &sources)?;
            return self.write_word(&i.operands[0], value);
        }
        let sixteen = self.b.constant(16);
        let low: Vec<Reg> = sources.iter().map(|source| self.short(*source)).collect();
        let high: Vec<Reg> = sources.iter().map(|source| self.b.bin(Binary::UShr, *source, sixteen)).collect();
        let (low, high) = (self.half_operation(i, one, &low)?, self.half_operation(i, one, &high)?);
        let high = self.b.bin(Binary::Shl, high, sixteen);
        let value = self.b.bin(Binary::Or, low, high);
        self.write_word(&i.operands[0], value)
    }

    fn half_operation(&mut self, i: &Instruction, ty: Ty, sources: &[Reg]) -> Result<Reg, Diagnostic> {
        let zero = self.b.constant(0);
        let wide = |me: &mut Self, value: Reg| {
            let value = me.single(value, ty);
            me.wide_op(WideOp::FromSingle, &[[value, zero]])
        };
        let op = match i.words[0].as_str() {
            "neg" | "abs" => {
                let sign = self.b.constant(0x8000);
                let mask = self.b.constant(0x7FFF);
                let a = *sources.first().ok_or_else(|| self.unsupported(i))?;
                return Ok(match i.words[0].as_str() {
                    "neg" => self.b.bin(Binary::Xor, a, sign),
                    _ => self.b.bin(Binary::And, a, mask),
                });
            }
            "add" => WideOp::FAdd,
            "sub" => WideOp::FSub,
            "mul" => WideOp::FMul,
            "fma" => WideOp::Fma,
            "min" => WideOp::FMin,
            "max" => WideOp::FMax,
            _ => return Err(self.unsupported(i)),
        };
        let args: Vec<[Reg; 2]> = sources.iter().map(|source| wide(self, *source)).collect();
        let value = self.wide_op(op, &args);
        let value = match i.has("relu") {
            true => self.wide_op(WideOp::FMax, &[value, [zero; 2]]),
            false => value,
        };
        Ok(self.wide_op(if ty == Ty::Bf16 { WideOp::ToBf16 } else { WideOp::ToHalf }, &[value])[0])
    }

    /// `setp` and `set`.
    pub(super) fn compare(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, a, b, rest @ ..] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let types = i.types();
        let ty = *types.last().ok_or_else(|| self.unsupported(i))?;
        let how = i.words.get(1).map(String::as_str).unwrap_or_default();
        let mut value = self.comparison(i, how, a, b, ty)?;
        if let [with] = rest {
            let with = self.word(with, Ty::Pred)?;
            let op = i.words[2..].iter().find_map(|word| match word.as_str() {
                "and" => Some(Binary::And),
                "or" => Some(Binary::Or),
                "xor" => Some(Binary::Xor),
                _ => None,
            });
            value = self.b.bin(op.ok_or_else(|| self.unsupported(i))?, value, with);
        }
        if i.words[0] == "set" {
            let result = types[0];
            let (yes, zero) = (if result == Ty::Float(32) { 1.0_f32.to_bits() } else { u32::MAX }, self.b.constant(0));
            let yes = self.b.constant(yes);
            let value = self.b.tri(Ternary::Select, value, yes, zero);
            return self.write_word(dst, value);
        }
        match dst {
            Operand::Two(p, q) if rest.is_empty() => {
                self.write_word(&Operand::Reg(*p), value)?;
                let not = self.b.un(Unary::Not, value);
                self.write_word(&Operand::Reg(*q), not)
            }
            dst => self.write_word(dst, value),
        }
    }

    fn comparison(&mut self, i: &Instruction, how: &str, a: &Operand, b: &Operand, ty: Ty) -> Result<Reg, Diagnostic> {
        if ty.is_wide() {
            let (a, b) = (self.pair(a)?, self.pair(b)?);
            let less = match ty {
                Ty::Float(_) => WideOp::FLt,
                Ty::Signed(_) => WideOp::ILt,
                _ => WideOp::ULt,
            };
            let equal = if ty == Ty::Float(64) { WideOp::FEq } else { WideOp::IEq };
            let (op, swapped, negated) = match (how, ty) {
                ("eq", _) => (equal, false, false),
                ("ne", Ty::Float(_)) | ("neu", _) | ("ne", _) => (equal, false, true),
                ("lt" | "lo", _) => (less, false, false),
                ("gt" | "hi", _) => (less, true, false),
                ("le", Ty::Float(_)) => (WideOp::FLe, false, false),
                ("ge", Ty::Float(_)) => (WideOp::FLe, true, false),
                ("le" | "ls", _) => (less, true, true),
                ("ge" | "hs", _) => (less, false, true),
                // True also where one is not a number.
                ("ltu", _) => (WideOp::FLe, true, true),
                ("leu", _) => (WideOp::FLt, true, true),
                ("gtu", _) => (WideOp::FLe, false, true),
                ("geu", _) => (WideOp::FLt, false, true),
                ("nan" | "num", _) => {
                    let (x, y) = (self.wide_op(WideOp::IsNan, &[a])[0], self.wide_op(WideOp::IsNan, &[b])[0]);
                    let either = self.b.bin(Binary::Or, x, y);
                    return Ok(if how == "nan" { either } else { self.b.un(Unary::Not, either) });
                }
                _ => return Err(self.unsupported(i)),
            };
            let (x, y) = if swapped { (b, a) } else { (a, b) };
            let value = self.wide_op(op, &[x, y])[0];
            let value = if negated { self.b.un(Unary::Not, value) } else { value };
            if let ("ne", Ty::Float(_)) = (how, ty) {
                // Ordered: false where one is not a number.
                let (x, y) = (self.wide_op(WideOp::IsNan, &[a])[0], self.wide_op(WideOp::IsNan, &[b])[0]);
                let either = self.b.bin(Binary::Or, x, y);
                let both = self.b.un(Unary::Not, either);
                return Ok(self.b.bin(Binary::And, value, both));
            }
            return Ok(value);
        }
        let (mut x, mut y) = (self.word(a, ty)?, self.word(b, ty)?);
        let float = matches!(ty, Ty::Float(_) | Ty::Bf16);
        if float {
            (x, y) = (self.single(x, ty), self.single(y, ty));
            let op = match how {
                "eq" => Binary::FEq,
                "lt" => Binary::FLt,
                "le" => Binary::FLe,
                "gt" => return Ok(self.b.bin(Binary::FLt, y, x)),
                "ge" => return Ok(self.b.bin(Binary::FLe, y, x)),
                "neu" => Binary::FNe,
                "ltu" | "leu" | "gtu" | "geu" | "equ" | "ne" | "num" | "nan" => {
                    return self.unordered(i, how, x, y);
                }
                _ => return Err(self.unsupported(i)),
            };
            return Ok(self.b.bin(op, x, y));
        }
        if ty.bits() == 16 && ty.is_signed() {
            (x, y) = (self.sign_extended(x, 16), self.sign_extended(y, 16));
        }
        let signed = ty.is_signed();
        Ok(match how {
            "eq" => self.b.bin(Binary::IEq, x, y),
            "ne" => self.b.bin(Binary::INe, x, y),
            "lt" if signed => self.b.bin(Binary::ILt, x, y),
            "le" if signed => self.b.bin(Binary::ILe, x, y),
            "gt" if signed => self.b.bin(Binary::ILt, y, x),
            "ge" if signed => self.b.bin(Binary::ILe, y, x),
            "lt" | "lo" => self.b.bin(Binary::ULt, x, y),
            "le" | "ls" => self.b.bin(Binary::ULe, x, y),
            "gt" | "hi" => self.b.bin(Binary::ULt, y, x),
            "ge" | "hs" => self.b.bin(Binary::ULe, y, x),
            _ => return Err(self.unsupported(i)),
        })
    }

    /// Comparisons that say what holds where one side is not a number.
    fn unordered(&mut self, i: &Instruction, how: &str, x: Reg, y: Reg) -> Result<Reg, Diagnostic> {
        let opposite = match how {
            "ltu" => Some((Binary::FLe, y, x)),
            "leu" => Some((Binary::FLt, y, x)),
            "gtu" => Some((Binary::FLe, x, y)),
            "geu" => Some((Binary::FLt, x, y)),
            _ => None,
        };
        if let Some((op, a, b)) = opposite {
            let value = self.b.bin(op, a, b);
            return Ok(self.b.un(Unary::Not, value));
        }
        let (a, b) = (self.b.un(Unary::IsNan, x), self.b.un(Unary::IsNan, y));
        let either = self.b.bin(Binary::Or, a, b);
        match how {
            "nan" => Ok(either),
            "num" => Ok(self.b.un(Unary::Not, either)),
            "equ" => {
                let equal = self.b.bin(Binary::FEq, x, y);
                Ok(self.b.bin(Binary::Or, equal, either))
            }
            "ne" => {
                let both = self.b.un(Unary::Not, either);
                let differ = self.b.bin(Binary::FNe, x, y);
                Ok(self.b.bin(Binary::And, differ, both))
            }
            _ => Err(self.unsupported(i)),
        }
    }

    /// Operations on bits.
    pub(super) fn bits(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        let dst = i.operands.first().ok_or_else(|| self.unsupported(i))?;
        if ty.is_wide() {
            let [src] = &i.operands[1..] else { return Err(self.unsupported(i)) };
            let value = self.pair(src)?;
            let op = match i.words[0].as_str() {
                "popc" => WideOp::CountOneBits,
                "clz" => WideOp::CountLeadingZeros,
                "brev" => WideOp::ReverseBits,
                _ => return Err(self.unsupported(i)),
            };
            let value = self.wide_op(op, &[value]);
            return self.write(dst, value);
        }
        let a = self.sources(i, ty)?;
        let value = match (i.words[0].as_str(), a.as_slice()) {
            ("popc", [a]) => self.b.un(Unary::CountOneBits, *a),
            ("clz", [a]) => self.b.un(Unary::CountLeadingZeros, *a),
            ("brev", [a]) => self.b.un(Unary::ReverseBits, *a),
            ("bfind", [a]) if ty.is_signed() => self.b.un(Unary::IFirstLeadingBit, *a),
            ("bfind", [a]) if !i.has("shiftamt") => self.b.un(Unary::UFirstLeadingBit, *a),
            ("bfe", [a, at, len]) => {
                let op = if ty.is_signed() { Ternary::IField } else { Ternary::UField };
                self.b.tri(op, *a, *at, *len)
            }
            ("bfi", [field, into, at, len]) => {
                let zero = self.b.constant(0);
                let ones = self.b.constant(u32::MAX);
                // The mask is a field of ones, moved to its place.
                let mask = self.b.tri(Ternary::UField, ones, zero, *len);
                let (mask, field) = {
                    let field = self.b.bin(Binary::And, *field, mask);
                    (self.shifted(mask, *at), self.shifted(field, *at))
                };
                let keep = self.b.un(Unary::BitNot, mask);
                let kept = self.b.bin(Binary::And, *into, keep);
                self.b.bin(Binary::Or, kept, field)
            }
            ("prmt", [a, b, selector]) if i.words.len() == 2 => self.b.tri(Ternary::Permute, *a, *b, *selector),
            ("shf", [low, high, by]) => {
                let clamp = i.has("clamp");
                match (i.has("l"), clamp) {
                    (true, false) => self.b.tri(Ternary::FunnelLeft, *low, *high, *by),
                    (false, false) => self.b.tri(Ternary::FunnelRight, *low, *high, *by),
                    _ => return Err(self.unsupported(i)),
                }
            }
            ("lop3", [a, b, c, table]) => self.lookup(*a, *b, *c, *table, i)?,
            ("mul24", [a, b]) if i.has("lo") => self.b.bin(Binary::IMul, *a, *b),
            ("mad24", [a, b, c]) if i.has("lo") => {
                let product = self.b.bin(Binary::IMul, *a, *b);
                self.b.bin(Binary::IAdd, product, *c)
            }
            _ => return Err(self.unsupported(i)),
        };
        self.write_word(dst, value)
    }

    /// A left shift that gives 0 from 32 bits on.
    fn shifted(&mut self, value: Reg, by: Reg) -> Reg {
        let (zero, limit) = (self.b.constant(0), self.b.constant(32));
        let moved = self.b.bin(Binary::Shl, value, by);
        let fits = self.b.bin(Binary::ULt, by, limit);
        self.b.tri(Ternary::Select, fits, moved, zero)
    }

    /// `lop3`: any function of three bits, as the sum of its true rows.
    fn lookup(&mut self, a: Reg, b: Reg, c: Reg, table: Reg, i: &Instruction) -> Result<Reg, Diagnostic> {
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
