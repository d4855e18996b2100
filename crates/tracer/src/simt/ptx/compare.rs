//! Comparisons and selection.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Reg;
use super::super::ops::{Binary, Ternary, Unary};
use super::super::wide::WideOp;
use super::lower::Lower;
use super::module::{Instruction, Operand, Ty};

impl Lower<'_> {
    /// `setp` and `set`.
    pub(super) fn compare(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, a, b, rest @ ..] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let types = i.types();
        let ty = *types.last().ok_or_else(|| self.unsupported(i))?;
        let how = i.words.get(1).map(String::as_str).unwrap_or_default();
        if matches!(ty, Ty::F16x2 | Ty::Bf16x2) {
            return self.compare_packed(i, how, ty);
        }
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
            let yes = match result {
                Ty::Float(32) => 1.0_f32.to_bits(),
                Ty::Float(16) => 0x3C00,
                Ty::Bf16 => 0x3F80,
                ty if ty.bits() == 16 => 0xFFFF,
                _ => u32::MAX,
            };
            let zero = self.b.constant(0);
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

    /// Two halves with two others.
    fn compare_packed(&mut self, i: &Instruction, how: &str, ty: Ty) -> Result<(), Diagnostic> {
        let [dst, a, b] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let one = if ty == Ty::F16x2 { Ty::Float(16) } else { Ty::Bf16 };
        let (a, b) = (self.word(a, ty)?, self.word(b, ty)?);
        let (zero, sixteen) = (self.b.constant(0), self.b.constant(16));
        let low = [self.short(a), self.short(b)];
        let high = [a, b].map(|value| self.b.bin(Binary::UShr, value, sixteen));
        let mut halves = Vec::new();
        for [x, y] in [low, high] {
            let (x, y) = (self.single(x, one), self.single(y, one));
            halves.push(self.float_comparison(i, how, x, y)?);
        }
        match (i.words[0].as_str(), dst) {
            ("setp", Operand::Two(p, q)) => {
                self.write_word(&Operand::Reg(*p), halves[0])?;
                self.write_word(&Operand::Reg(*q), halves[1])
            }
            ("setp", p) => self.write_word(p, halves[0]),
            _ => {
                let yes = match i.types().first() {
                    Some(Ty::F16x2) => 0x3C00,
                    Some(Ty::Bf16x2) => 0x3F80,
                    _ => 0xFFFF,
                };
                let yes = self.b.constant(yes);
                let both: Vec<Reg> =
                    halves.into_iter().map(|half| self.b.tri(Ternary::Select, half, yes, zero)).collect();
                let moved = self.b.bin(Binary::Shl, both[1], sixteen);
                let value = self.b.bin(Binary::Or, both[0], moved);
                self.write_word(dst, value)
            }
        }
    }

    /// Singles.
    fn float_comparison(&mut self, i: &Instruction, how: &str, x: Reg, y: Reg) -> Result<Reg, Diagnostic> {
        let op = match how {
            "eq" => Binary::FEq,
            "lt" => Binary::FLt,
            "le" => Binary::FLe,
            "gt" => return Ok(self.b.bin(Binary::FLt, y, x)),
            "ge" => return Ok(self.b.bin(Binary::FLe, y, x)),
            "neu" => Binary::FNe,
            _ => return self.unordered(i, how, x, y),
        };
        Ok(self.b.bin(op, x, y))
    }

    pub(super) fn comparison(
        &mut self,
        i: &Instruction,
        how: &str,
        a: &Operand,
        b: &Operand,
        ty: Ty,
    ) -> Result<Reg, Diagnostic> {
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
            return self.float_comparison(i, how, x, y);
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
    pub(super) fn unordered(&mut self, i: &Instruction, how: &str, x: Reg, y: Reg) -> Result<Reg, Diagnostic> {
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

    pub(super) fn select(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, a, b, cond] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        let cond = self.word(cond, Ty::Pred)?;
        if ty.is_wide() {
            let (a, b) = (self.pair(a)?, self.pair(b)?);
            let zero = self.b.constant(0);
            let value = self.wide_op(WideOp::Select, &[[cond, zero], a, b]);
            return self.write(dst, value);
        }
        let (a, b) = (self.word(a, ty)?, self.word(b, ty)?);
        let value = self.b.tri(Ternary::Select, cond, a, b);
        self.write_word(dst, value)
    }
}
