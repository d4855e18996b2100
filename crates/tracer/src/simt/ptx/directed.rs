//! Operations on floats that round in a direction: toward zero, downward or upward.

use warpbook_base::diag::Diagnostic;

use super::super::ops::{Ternary, Unary};
use super::super::wide::WideOp;
use super::lower::Lower;
use super::module::Instruction;
use super::table::Kind;

/// The direction in which an instruction rounds, as [`WideOp`]'s operands name it; None if it rounds to the nearest.
pub(super) fn directed(i: &Instruction) -> Option<u32> {
    i.words[1..].iter().find_map(|word| match word.as_str() {
        "rz" => Some(0),
        "rm" => Some(1),
        "rp" => Some(2),
        _ => None,
    })
}

/// The exact result that is rounded.
enum Rounds {
    /// a·b + c.
    Sum,
    /// a / b.
    Quotient,
    /// The square root of a.
    Root,
}

impl Lower<'_> {
    /// One of these operations, on singles or doubles.
    pub(super) fn directed(&mut self, i: &Instruction, kind: Kind, by: u32) -> Result<(), Diagnostic> {
        let is_single = kind == Kind::F32;
        let zero = self.b.constant(0);
        let a = match is_single {
            true => self.sources(i)?.into_iter().map(|word| [word, zero]).collect(),
            false => self.pairs(i)?,
        };
        let number = |value: f64| if is_single { u64::from((value as f32).to_bits()) } else { value.to_bits() };
        let (one, none) = (self.constants(number(1.0)), self.constants(number(-0.0)));
        let (rounds, args) = match (i.words[0].as_str(), a.as_slice()) {
            ("fma" | "mad", [a, b, c]) => (Rounds::Sum, [*a, *b, *c]),
            ("add", [a, b]) => (Rounds::Sum, [*a, one, *b]),
            ("sub", [a, b]) if is_single => (Rounds::Sum, [*a, one, [self.b.un(Unary::FNeg, b[0]), zero]]),
            ("sub", [a, b]) => (Rounds::Sum, [*a, one, self.wide_op(WideOp::FNeg, &[*b])]),
            ("mul", [a, b]) => (Rounds::Sum, [*a, *b, none]),
            ("div", [a, b]) => (Rounds::Quotient, [*a, *b, [zero; 2]]),
            ("rcp", [a]) => (Rounds::Quotient, [one, *a, [zero; 2]]),
            ("sqrt", [a]) => (Rounds::Root, [*a, [zero; 2], [zero; 2]]),
            _ => return Err(self.unsupported(i)),
        };
        let side = [self.b.constant(by), zero];
        let [a, b, c] = args;
        let value = match (rounds, is_single) {
            (Rounds::Sum, true) => {
                let op = [Ternary::FmaToZero, Ternary::FmaDown, Ternary::FmaUp][by as usize % 3];
                [self.b.tri(op, a[0], b[0], c[0]), zero]
            }
            (Rounds::Sum, false) => {
                self.wide_op([WideOp::FmaZero, WideOp::FmaDown, WideOp::FmaUp][by as usize % 3], &args)
            }
            (Rounds::Quotient, false) => self.wide_op(WideOp::FDivBy, &[a, b, side]),
            (Rounds::Root, false) => self.wide_op(WideOp::SqrtBy, &[a, side]),
            // A double holds enough of the exact value.
            (exact, true) => {
                let [a, b] = [a, b].map(|value| self.wide_op(WideOp::FromSingle, &[value]));
                let value = match exact {
                    Rounds::Root => self.wide_op(WideOp::Sqrt, &[a]),
                    _ => self.wide_op(WideOp::FDiv, &[a, b]),
                };
                self.wide_op(WideOp::ToSingleBy, &[value, side])
            }
        };
        self.write(&i.operands[0], value)
    }
}
