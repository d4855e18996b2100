//! Comparisons and selection.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Reg;
use super::super::ops::{Binary as B, Ternary, Unary};
use super::super::wide::WideOp as W;
use super::lower::Lower;
use super::module::{Instruction, Operand, Ty};
use super::table::{Kind, LONG, WORDS};

/// A comparison of PTX.
struct Comparison {
    name: &'static str,
    kinds: &'static [Kind],
    test: Test,
    /// Whether the test has the operands in the other order.
    swapped: bool,
    /// Whether it holds where the test does not.
    negated: bool,
    /// Whether it holds where one of the operands is not a number; None if the test says so.
    nan: Option<bool>,
}

/// The operation of the IR that tests two values.
#[derive(Clone, Copy)]
enum Test {
    Word(B),
    Wide(W),
    /// Only [`Comparison::nan`] matters.
    Nan,
}

use Test::{Nan, Wide, Word};

impl Comparison {
    const fn swapped(self) -> Self {
        Self { swapped: true, ..self }
    }

    const fn negated(self) -> Self {
        Self { negated: true, ..self }
    }

    const fn with_nan(self, holds: bool) -> Self {
        Self { nan: Some(holds), ..self }
    }
}

const fn row(name: &'static str, kinds: &'static [Kind], test: Test) -> Comparison {
    Comparison { name, kinds, test, swapped: false, negated: false, nan: None }
}

const SIGNED: &[Kind] = &[Kind::S16, Kind::S32];
/// Halves are compared as singles.
const SINGLE: &[Kind] = &[Kind::F16, Kind::Bf16, Kind::F32];
const DOUBLE: &[Kind] = &[Kind::F64];
const FLOATS: &[Kind] = &[Kind::F16, Kind::Bf16, Kind::F32, Kind::F64];

/// The comparisons by name and type: the first row that fits counts.
const COMPARISONS: &[Comparison] = &[
    row("eq", WORDS, Word(B::IEq)),
    row("ne", WORDS, Word(B::INe)),
    row("lt", SIGNED, Word(B::ILt)),
    row("le", SIGNED, Word(B::ILe)),
    row("gt", SIGNED, Word(B::ILt)).swapped(),
    row("ge", SIGNED, Word(B::ILe)).swapped(),
    row("lt", WORDS, Word(B::ULt)),
    row("lo", WORDS, Word(B::ULt)),
    row("le", WORDS, Word(B::ULe)),
    row("ls", WORDS, Word(B::ULe)),
    row("gt", WORDS, Word(B::ULt)).swapped(),
    row("hi", WORDS, Word(B::ULt)).swapped(),
    row("ge", WORDS, Word(B::ULe)).swapped(),
    row("hs", WORDS, Word(B::ULe)).swapped(),
    row("eq", LONG, Wide(W::IEq)),
    row("ne", LONG, Wide(W::IEq)).negated(),
    row("lt", &[Kind::S64], Wide(W::ILt)),
    row("le", &[Kind::S64], Wide(W::ILt)).swapped().negated(),
    row("gt", &[Kind::S64], Wide(W::ILt)).swapped(),
    row("ge", &[Kind::S64], Wide(W::ILt)).negated(),
    row("lt", &[Kind::U64], Wide(W::ULt)),
    row("lo", &[Kind::U64], Wide(W::ULt)),
    row("le", &[Kind::U64], Wide(W::ULt)).swapped().negated(),
    row("ls", &[Kind::U64], Wide(W::ULt)).swapped().negated(),
    row("gt", &[Kind::U64], Wide(W::ULt)).swapped(),
    row("hi", &[Kind::U64], Wide(W::ULt)).swapped(),
    row("ge", &[Kind::U64], Wide(W::ULt)).negated(),
    row("hs", &[Kind::U64], Wide(W::ULt)).negated(),
    row("eq", SINGLE, Word(B::FEq)),
    row("lt", SINGLE, Word(B::FLt)),
    row("le", SINGLE, Word(B::FLe)),
    row("gt", SINGLE, Word(B::FLt)).swapped(),
    row("ge", SINGLE, Word(B::FLe)).swapped(),
    row("ne", SINGLE, Word(B::FNe)).with_nan(false),
    row("equ", SINGLE, Word(B::FEq)).with_nan(true),
    row("neu", SINGLE, Word(B::FNe)),
    row("ltu", SINGLE, Word(B::FLe)).swapped().negated(),
    row("leu", SINGLE, Word(B::FLt)).swapped().negated(),
    row("gtu", SINGLE, Word(B::FLe)).negated(),
    row("geu", SINGLE, Word(B::FLt)).negated(),
    row("eq", DOUBLE, Wide(W::FEq)),
    row("lt", DOUBLE, Wide(W::FLt)),
    row("le", DOUBLE, Wide(W::FLe)),
    row("gt", DOUBLE, Wide(W::FLt)).swapped(),
    row("ge", DOUBLE, Wide(W::FLe)).swapped(),
    row("ne", DOUBLE, Wide(W::FEq)).negated().with_nan(false),
    row("neu", DOUBLE, Wide(W::FEq)).negated(),
    row("ltu", DOUBLE, Wide(W::FLe)).swapped().negated(),
    row("leu", DOUBLE, Wide(W::FLt)).swapped().negated(),
    row("gtu", DOUBLE, Wide(W::FLe)).negated(),
    row("geu", DOUBLE, Wide(W::FLt)).negated(),
    row("nan", FLOATS, Nan).with_nan(true),
    row("num", FLOATS, Nan).with_nan(false),
];

impl Lower<'_> {
    /// `setp` and `set`.
    pub(super) fn compare(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, a, b, rest @ ..] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        let comparison = self.comparison(i)?;
        if matches!(ty, Ty::F16x2 | Ty::Bf16x2) {
            return self.compare_packed(i, comparison, ty);
        }
        let (x, y) = match ty.is_wide() {
            true => (self.pair(a)?, self.pair(b)?),
            false => (self.compared(a, ty)?, self.compared(b, ty)?),
        };
        let mut value = self.test(comparison, ty == Ty::Float(64), x, y);
        if let [with] = rest {
            let with = self.word(with, Ty::Pred)?;
            let op = i.words[2..].iter().find_map(|word| match word.as_str() {
                "and" => Some(B::And),
                "or" => Some(B::Or),
                "xor" => Some(B::Xor),
                _ => None,
            });
            value = self.b.bin(op.ok_or_else(|| self.unsupported(i))?, value, with);
        }
        match dst {
            dst if i.words[0] == "set" => {
                let value = self.as_number(i, value);
                self.write_word(dst, value)
            }
            Operand::Two(p, q) if rest.is_empty() => {
                self.write_word(&Operand::Reg(*p), value)?;
                let not = self.b.un(Unary::Not, value);
                self.write_word(&Operand::Reg(*q), not)
            }
            dst => self.write_word(dst, value),
        }
    }

    /// Two halves with two others.
    fn compare_packed(&mut self, i: &Instruction, comparison: &Comparison, ty: Ty) -> Result<(), Diagnostic> {
        let [dst, a, b] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let one = if ty == Ty::F16x2 { Ty::Float(16) } else { Ty::Bf16 };
        let zero = self.b.constant(0);
        let (a, b) = (self.word(a, ty)?, self.word(b, ty)?);
        let (low, high) = (self.split(a), self.split(b));
        let halves = [(low.0, high.0), (low.1, high.1)].map(|(x, y)| {
            let (x, y) = (self.single(x, one), self.single(y, one));
            self.test(comparison, false, [x, zero], [y, zero])
        });
        match (i.words[0].as_str(), dst) {
            ("setp", Operand::Two(p, q)) => {
                self.write_word(&Operand::Reg(*p), halves[0])?;
                self.write_word(&Operand::Reg(*q), halves[1])
            }
            ("setp", p) => self.write_word(p, halves[0]),
            _ => {
                let [low, high] = halves.map(|half| self.as_number(i, half));
                let value = self.both(low, high);
                self.write_word(dst, value)
            }
        }
    }

    /// The result of `set`: 1 as a float, or all ones, where a comparison holds.
    fn as_number(&mut self, i: &Instruction, holds: Reg) -> Reg {
        let is_packed = matches!(i.types().last(), Some(Ty::F16x2 | Ty::Bf16x2));
        let yes = match (i.types().first(), is_packed) {
            (Some(Ty::Float(32)), false) => 1.0_f32.to_bits(),
            (Some(Ty::Float(16)), false) | (Some(Ty::F16x2), true) => 0x3C00,
            (Some(Ty::Bf16), false) | (Some(Ty::Bf16x2), true) => 0x3F80,
            (Some(ty), false) if ty.bits() != 16 => u32::MAX,
            _ => 0xFFFF,
        };
        let (yes, zero) = (self.b.constant(yes), self.b.constant(0));
        self.b.tri(Ternary::Select, holds, yes, zero)
    }

    /// The comparison that an instruction names.
    fn comparison(&self, i: &Instruction) -> Result<&'static Comparison, Diagnostic> {
        let (name, kind) = (i.words.get(1).map_or("", String::as_str), Kind::of(i));
        let fits = |row: &&Comparison| row.name == name && kind.is_some_and(|kind| row.kinds.contains(&kind));
        COMPARISONS.iter().find(fits).ok_or_else(|| self.unsupported(i))
    }

    /// An operand of up to 32 bits as the tests take it.
    fn compared(&mut self, operand: &Operand, ty: Ty) -> Result<[Reg; 2], Diagnostic> {
        let value = self.word(operand, ty)?;
        let value = match ty {
            Ty::Signed(16) => self.sign_extended(value, 16),
            ty => self.single(value, ty),
        };
        Ok([value, self.b.constant(0)])
    }

    /// Whether a comparison holds.
    fn test(&mut self, of: &Comparison, is_double: bool, x: [Reg; 2], y: [Reg; 2]) -> Reg {
        let (a, b) = if of.swapped { (y, x) } else { (x, y) };
        let value = match of.test {
            Word(op) => Some(self.b.bin(op, a[0], b[0])),
            Wide(op) => Some(self.wide_op(op, &[a, b])[0]),
            Nan => None,
        };
        let value = value.map(|value| if of.negated { self.b.un(Unary::Not, value) } else { value });
        let nan = of.nan.map(|holds| {
            let [a, b] = [x, y].map(|value| match is_double {
                true => self.wide_op(W::IsNan, &[value])[0],
                false => self.b.un(Unary::IsNan, value[0]),
            });
            let either = self.b.bin(B::Or, a, b);
            (if holds { either } else { self.b.un(Unary::Not, either) }, holds)
        });
        match (value, nan) {
            (Some(value), None) => value,
            (None, Some((nan, _))) => nan,
            (Some(value), Some((nan, holds))) => self.b.bin(if holds { B::Or } else { B::And }, value, nan),
            (None, None) => self.b.constant(0),
        }
    }

    pub(super) fn select(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, a, b, cond] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        let cond = self.word(cond, Ty::Pred)?;
        if ty.is_wide() {
            let (a, b) = (self.pair(a)?, self.pair(b)?);
            let zero = self.b.constant(0);
            let value = self.wide_op(W::Select, &[[cond, zero], a, b]);
            return self.write(dst, value);
        }
        let (a, b) = (self.word(a, ty)?, self.word(b, ty)?);
        let value = self.b.tri(Ternary::Select, cond, a, b);
        self.write_word(dst, value)
    }

    /// `slct`: one of two words, by the sign of a third; `test` compares it with zero.
    pub(super) fn select_by_sign(&mut self, test: B, [x, y, c]: [Reg; 3]) -> Reg {
        let zero = self.b.constant(0);
        let cond = self.b.bin(test, zero, c);
        self.b.tri(Ternary::Select, cond, x, y)
    }
}
