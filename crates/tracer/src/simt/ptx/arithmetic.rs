//! Arithmetic on integers and floats of all widths.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Reg;
use super::super::ops::{Binary, Ternary, Unary};
use super::super::wide::WideOp;
use super::addresses::{Atom, Sum};
use super::lower::Lower;
use super::module::{Instruction, Operand, Ty};

impl Lower<'_> {
    pub(super) fn arithmetic(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        if matches!(i.words.last().map(String::as_str), Some("u16x2" | "s16x2")) {
            return self.arithmetic_short(i);
        }
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        if i.has("wide") {
            return self.widening(i, ty);
        }
        let half = matches!(ty, Ty::F16x2 | Ty::Bf16x2 | Ty::Float(16) | Ty::Bf16);
        if i.has("sat") && ty != Ty::Float(32) && !half && ty != Ty::Signed(32) {
            return Err(self.unsupported(i));
        }
        if let (Ty::Float(64), Some(by)) = (ty, super::convert::directed(i)) {
            return self.directed_wide(i, by);
        }
        match ty {
            Ty::Float(64) | Ty::Bits(64) | Ty::Unsigned(64) | Ty::Signed(64) => self.arithmetic_wide(i, ty),
            Ty::F16x2 | Ty::Bf16x2 | Ty::Float(16) | Ty::Bf16 => self.arithmetic_half(i, ty),
            Ty::Float(_) => self.arithmetic_float(i),
            _ => self.arithmetic_int(i, ty),
        }
    }

    /// The operands after the first, as words.
    pub(super) fn sources(&mut self, i: &Instruction, ty: Ty) -> Result<Vec<Reg>, Diagnostic> {
        i.operands[1..].iter().map(|operand| self.word(operand, ty)).collect()
    }

    pub(super) fn pairs(&mut self, i: &Instruction) -> Result<Vec<[Reg; 2]>, Diagnostic> {
        i.operands[1..].iter().map(|operand| self.pair(operand)).collect()
    }

    pub(super) fn wide_op(&mut self, op: WideOp, args: &[[Reg; 2]]) -> [Reg; 2] {
        let zero = self.b.constant(0);
        let at = |n: usize| args.get(n).copied().unwrap_or([zero; 2]);
        let args = [at(0), at(1), at(2)];
        self.b.wide(op, args)
    }

    /// `mul.wide` and `mad.wide`.
    pub(super) fn widening(&mut self, i: &Instruction, ty: Ty) -> Result<(), Diagnostic> {
        let [dst, a, b, rest @ ..] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
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
    pub(super) fn write_added(&mut self, dst: &Operand, a: &Sum, b: &Sum, i: &Instruction) -> Result<(), Diagnostic> {
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

    pub(super) fn arithmetic_wide(&mut self, i: &Instruction, ty: Ty) -> Result<(), Diagnostic> {
        let op = i.words[0].as_str();
        let dst = i.operands.first().ok_or_else(|| self.unsupported(i))?;
        if ty != Ty::Float(64) {
            match (op, &i.operands[1..]) {
                ("add", [a, b]) => {
                    let (a, b) = (self.sum(a)?, self.sum(b)?);
                    return self.write_added(dst, &a, &b, i);
                }
                ("sub", [a, b]) => {
                    let (a, b) = (self.sum(a)?, self.sum(b)?);
                    if let Some(less) = b.times(-1) {
                        return self.write_added(dst, &a, &less, i);
                    }
                }
                ("mul", [a, Operand::Whole(by)]) if i.has("lo") => {
                    if let Some(sum) = self.sum(a)?.times(by.cast_signed()) {
                        return self.write_sum(dst, sum);
                    }
                }
                ("mad", [a, b, c]) if i.has("lo") => {
                    let product = match b {
                        Operand::Whole(by) => self.sum(a)?.times(by.cast_signed()),
                        _ => None,
                    };
                    let product = match product {
                        Some(product) => product,
                        None => {
                            let (a, b) = (self.pair(a)?, self.pair(b)?);
                            Sum::of(Atom::Pair(self.wide_op(WideOp::Mul, &[a, b])))
                        }
                    };
                    let c = self.sum(c)?;
                    return self.write_added(dst, &product, &c, i);
                }
                _ => {}
            }
        }
        let signed = ty.is_signed();
        let wide = match (op, ty) {
            ("add", Ty::Float(_)) => WideOp::FAdd,
            ("sub", Ty::Float(_)) => WideOp::FSub,
            ("mul", Ty::Float(_)) => WideOp::FMul,
            ("div", Ty::Float(_)) => WideOp::FDiv,
            ("fma" | "mad", Ty::Float(_)) => WideOp::Fma,
            ("min", Ty::Float(_)) => WideOp::FMin,
            ("max", Ty::Float(_)) => WideOp::FMax,
            ("neg", Ty::Float(_)) => WideOp::FNeg,
            ("abs", Ty::Float(_)) => WideOp::FAbs,
            ("sub", _) => WideOp::Sub,
            ("mul", _) if i.has("lo") => WideOp::Mul,
            ("mul", _) if i.has("hi") => {
                if signed {
                    WideOp::IMulHigh
                } else {
                    WideOp::UMulHigh
                }
            }
            ("div", _) => {
                if signed {
                    WideOp::IDiv
                } else {
                    WideOp::UDiv
                }
            }
            ("rem", _) => {
                if signed {
                    WideOp::IRem
                } else {
                    WideOp::URem
                }
            }
            ("min", _) => {
                if signed {
                    WideOp::IMin
                } else {
                    WideOp::UMin
                }
            }
            ("max", _) => {
                if signed {
                    WideOp::IMax
                } else {
                    WideOp::UMax
                }
            }
            ("neg", _) => WideOp::Neg,
            ("abs", _) => WideOp::IAbs,
            _ => return Err(self.unsupported(i)),
        };
        let args = self.pairs(i)?;
        let value = self.wide_op(wide, &args);
        self.write(dst, value)
    }

    /// Operations on doubles, rounded in a direction.
    pub(super) fn directed_wide(&mut self, i: &Instruction, by: u32) -> Result<(), Diagnostic> {
        let zero = self.b.constant(0);
        let fma = [WideOp::FmaZero, WideOp::FmaDown, WideOp::FmaUp][by as usize % 3];
        let (one, none) = (self.constants(1.0_f64.to_bits()), self.constants((-0.0_f64).to_bits()));
        let by = [self.b.constant(by), zero];
        let a = self.pairs(i)?;
        let value = match (i.words[0].as_str(), a.as_slice()) {
            ("fma" | "mad", [a, b, c]) => self.wide_op(fma, &[*a, *b, *c]),
            ("add", [a, b]) => self.wide_op(fma, &[*a, one, *b]),
            ("sub", [a, b]) => {
                let b = self.wide_op(WideOp::FNeg, &[*b]);
                self.wide_op(fma, &[*a, one, b])
            }
            ("mul", [a, b]) => self.wide_op(fma, &[*a, *b, none]),
            ("div", [a, b]) => self.wide_op(WideOp::FDivBy, &[*a, *b, by]),
            ("rcp", [a]) => self.wide_op(WideOp::FDivBy, &[one, *a, by]),
            ("sqrt", [a]) => self.wide_op(WideOp::SqrtBy, &[*a, by]),
            _ => return Err(self.unsupported(i)),
        };
        self.write(&i.operands[0], value)
    }

    /// Operations on two integers of 16 bits in a word.
    fn arithmetic_short(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let signed = i.has("s16x2");
        let sources = self.sources(i, Ty::Bits(32))?;
        let [a, b] = sources.as_slice() else { return Err(self.unsupported(i)) };
        let op = match (i.words[0].as_str(), signed) {
            ("add", _) => Binary::IAdd,
            ("sub", _) => Binary::ISub,
            ("min", true) => Binary::IMin,
            ("min", false) => Binary::UMin,
            ("max", true) => Binary::IMax,
            ("max", false) => Binary::UMax,
            _ => return Err(self.unsupported(i)),
        };
        let (zero, sixteen) = (self.b.constant(0), self.b.constant(16));
        let halves = [zero, sixteen].map(|at| {
            let [a, b] = [*a, *b].map(|word| {
                let half = self.b.bin(Binary::UShr, word, at);
                if signed { self.sign_extended(half, 16) } else { self.short(half) }
            });
            let value = self.b.bin(op, a, b);
            let value = if i.has("relu") { self.b.bin(Binary::IMax, value, zero) } else { value };
            if !i.has("sat") {
                return self.short(value);
            }
            let (least, most) = if signed { (i16::MIN.into(), i16::MAX.into()) } else { (0, i32::from(u16::MAX)) };
            let (least, most): (Reg, Reg) =
                (self.b.constant(i32::cast_unsigned(least)), self.b.constant(i32::cast_unsigned(most)));
            let value = self.b.bin(Binary::IMax, value, least);
            let value = self.b.bin(Binary::IMin, value, most);
            self.short(value)
        });
        let high = self.b.bin(Binary::Shl, halves[1], sixteen);
        let value = self.b.bin(Binary::Or, high, halves[0]);
        self.write_word(&i.operands[0], value)
    }

    pub(super) fn arithmetic_float(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let a = self.sources(i, Ty::Float(32))?;
        let directed = i.words[1..].iter().find_map(|word| match word.as_str() {
            "rm" => Some(Ternary::FmaDown),
            "rp" => Some(Ternary::FmaUp),
            "rz" => Some(Ternary::FmaToZero),
            _ => None,
        });
        if let (Some(to), "div") = (super::convert::directed(i), i.words[0].as_str()) {
            return self.directed_function(i, to);
        }
        if let Some(op) = directed {
            let (one, zero) = (self.b.constant(1.0_f32.to_bits()), self.b.constant((-0.0_f32).to_bits()));
            let value = match (i.words[0].as_str(), a.as_slice()) {
                ("fma" | "mad", [a, b, c]) => self.b.tri(op, *a, *b, *c),
                ("add", [a, b]) => self.b.tri(op, *a, one, *b),
                ("sub", [a, b]) => {
                    let b = self.b.un(Unary::FNeg, *b);
                    self.b.tri(op, *a, one, b)
                }
                ("mul", [a, b]) => self.b.tri(op, *a, *b, zero),
                _ => return Err(self.unsupported(i)),
            };
            return self.write_word(&i.operands[0], value);
        }
        let value = match (i.words[0].as_str(), a.as_slice()) {
            ("add", [a, b]) => self.b.bin(Binary::FAdd, *a, *b),
            ("sub", [a, b]) => self.b.bin(Binary::FSub, *a, *b),
            ("mul", [a, b]) => self.b.bin(Binary::FMul, *a, *b),
            ("div", [a, b]) => self.b.bin(Binary::FDiv, *a, *b),
            ("fma" | "mad", [a, b, c]) => self.b.tri(Ternary::Fma, *a, *b, *c),
            ("min", [a, b]) if i.has("NaN") => self.b.bin(Binary::FMinNan, *a, *b),
            ("max", [a, b]) if i.has("NaN") => self.b.bin(Binary::FMaxNan, *a, *b),
            ("min", [a, b]) => self.b.bin(Binary::FMin, *a, *b),
            ("max", [a, b]) => self.b.bin(Binary::FMax, *a, *b),
            ("neg", [a]) => self.b.un(Unary::FNeg, *a),
            ("abs", [a]) => self.b.un(Unary::FAbs, *a),
            _ => return Err(self.unsupported(i)),
        };
        let value = if i.has("sat") { self.b.un(Unary::Saturate, value) } else { value };
        self.write_word(&i.operands[0], value)
    }

    pub(super) fn arithmetic_int(&mut self, i: &Instruction, ty: Ty) -> Result<(), Diagnostic> {
        let mut a = self.sources(i, ty)?;
        let (signed, short) = (ty.is_signed(), ty.bits() == 16);
        if short && signed {
            a = a.into_iter().map(|value| self.sign_extended(value, 16)).collect();
        }
        let pick = |s: Binary, u: Binary| if signed { s } else { u };
        if i.has("sat") {
            // In 64 bits, and back at the ends of 32.
            let op = match i.words[0].as_str() {
                "add" => WideOp::Add,
                "sub" => WideOp::Sub,
                _ => return Err(self.unsupported(i)),
            };
            let wide: Vec<[Reg; 2]> = a.iter().map(|value| self.widened(*value, ty)).collect();
            let value = self.wide_op(op, &wide);
            let (most, least) = (self.constants(i32::MAX as u64), self.constants(i64::from(i32::MIN).cast_unsigned()));
            let value = self.wide_op(WideOp::IMin, &[value, most]);
            let value = self.wide_op(WideOp::IMax, &[value, least])[0];
            return self.write_word(&i.operands[0], value);
        }
        let value = match (i.words[0].as_str(), a.as_slice()) {
            ("add", [a, b]) => self.b.bin(Binary::IAdd, *a, *b),
            ("sub", [a, b]) => self.b.bin(Binary::ISub, *a, *b),
            ("mul", [a, b]) if i.has("hi") && !short => self.b.bin(pick(Binary::IMulHigh, Binary::UMulHigh), *a, *b),
            ("mul", [a, b]) if i.has("lo") => self.b.bin(Binary::IMul, *a, *b),
            ("mad", [a, b, c]) if i.has("lo") => {
                // Two operations: so a linear index stays linear.
                let product = self.b.bin(Binary::IMul, *a, *b);
                self.b.bin(Binary::IAdd, product, *c)
            }
            ("mul", [a, b]) if i.has("hi") => {
                let (product, sixteen) = (self.b.bin(Binary::IMul, *a, *b), self.b.constant(16));
                self.b.bin(pick(Binary::IShr, Binary::UShr), product, sixteen)
            }
            ("mad", [a, b, c]) if i.has("hi") && !short => {
                let product = self.b.bin(pick(Binary::IMulHigh, Binary::UMulHigh), *a, *b);
                self.b.bin(Binary::IAdd, product, *c)
            }
            ("div", [a, b]) => self.b.bin(pick(Binary::IDiv, Binary::UDiv), *a, *b),
            ("rem", [a, b]) => self.b.bin(pick(Binary::IRem, Binary::URem), *a, *b),
            ("min", [a, b]) => self.b.bin(pick(Binary::IMin, Binary::UMin), *a, *b),
            ("max", [a, b]) => self.b.bin(pick(Binary::IMax, Binary::UMax), *a, *b),
            ("neg", [a]) => self.b.un(Unary::INeg, *a),
            ("abs", [a]) => self.b.un(Unary::IAbs, *a),
            _ => return Err(self.unsupported(i)),
        };
        let value = if short { self.short(value) } else { value };
        self.write_word(&i.operands[0], value)
    }
}
