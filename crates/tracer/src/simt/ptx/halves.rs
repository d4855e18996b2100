//! Operations on values of 16 bits, of which a word holds two: halves, bfloats and integers.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Reg;
use super::super::ops::{Binary, Unary};
use super::super::wide::WideOp;
use super::lower::Lower;
use super::module::{Instruction, Ty};
use super::table::{Does, Kind};

impl Lower<'_> {
    /// The same operation on both halves of the operands, or on single ones.
    pub(super) fn halves(&mut self, i: &Instruction, does: &Does, kind: Kind) -> Result<Reg, Diagnostic> {
        let sources = self.sources(i)?;
        if let Some(Ty::Float(16) | Ty::Bf16) = i.types().last() {
            return self.half(i, does, kind, &sources);
        }
        let (low, high): (Vec<Reg>, Vec<Reg>) = sources.iter().map(|word| self.split(*word)).unzip();
        let (low, high) = (self.half(i, does, kind, &low)?, self.half(i, does, kind, &high)?);
        Ok(self.both(low, high))
    }

    /// The low and the high half of a word.
    pub(super) fn split(&mut self, word: Reg) -> (Reg, Reg) {
        let sixteen = self.b.constant(16);
        (self.short(word), self.b.bin(Binary::UShr, word, sixteen))
    }

    /// Two halves as a word.
    pub(super) fn both(&mut self, low: Reg, high: Reg) -> Reg {
        let sixteen = self.b.constant(16);
        let high = self.b.bin(Binary::Shl, high, sixteen);
        self.b.bin(Binary::Or, low, high)
    }

    fn half(&mut self, i: &Instruction, does: &Does, kind: Kind, a: &[Reg]) -> Result<Reg, Diagnostic> {
        let is_bfloat = kind == Kind::Bf16;
        let one = if is_bfloat { Ty::Bf16 } else { Ty::Float(16) };
        match (does, a) {
            (Does::Un(op), [a]) => {
                let value = self.single(*a, one);
                let value = self.b.un(*op, value);
                Ok(self.b.un(if is_bfloat { Unary::ToBf16 } else { Unary::ToHalf }, value))
            }
            (Does::Wide(op), a) if a.len() == op.words().iter().filter(|words| **words > 0).count() => {
                let zero = self.b.constant(0);
                let double = |value: &Reg| {
                    let value = self.single(*value, one);
                    self.wide_op(WideOp::FromSingle, &[[value, zero]])
                };
                let args: Vec<[Reg; 2]> = a.iter().map(double).collect();
                let value = self.wide_op(*op, &args);
                let value = self.limited(i, value);
                Ok(self.wide_op(if is_bfloat { WideOp::ToBf16 } else { WideOp::ToHalf }, &[value])[0])
            }
            (Does::Bin(op), [a, b]) => {
                let [a, b] = [*a, *b].map(|value| match kind {
                    Kind::S16x2 => self.sign_extended(value, 16),
                    _ => value,
                });
                let value = self.b.bin(*op, a, b);
                let value = self.limited_integer(i, kind, value);
                Ok(self.short(value))
            }
            _ => self.operation_of(i, does, a),
        }
    }

    /// A double that is at least 0 with `relu`, and from 0 to 1 with `sat`.
    fn limited(&mut self, i: &Instruction, value: [Reg; 2]) -> [Reg; 2] {
        let (zero, one) = (self.constants(0), self.constants(1.0_f64.to_bits()));
        let is_positive = i.has("relu") || i.has("sat");
        let value = if is_positive { self.wide_op(WideOp::FMax, &[value, zero]) } else { value };
        if i.has("sat") { self.wide_op(WideOp::FMin, &[value, one]) } else { value }
    }

    /// An integer that is at least 0 with `relu`, and that its type holds with `sat`.
    fn limited_integer(&mut self, i: &Instruction, kind: Kind, value: Reg) -> Reg {
        let zero = self.b.constant(0);
        let value = if i.has("relu") { self.b.bin(Binary::IMax, value, zero) } else { value };
        if !i.has("sat") {
            return value;
        }
        let (least, most) = match kind {
            Kind::S16x2 => (i16::MIN.into(), i16::MAX.into()),
            _ => (0, i32::from(u16::MAX)),
        };
        let (least, most) = (self.b.constant(i32::cast_unsigned(least)), self.b.constant(i32::cast_unsigned(most)));
        let value = self.b.bin(Binary::IMax, value, least);
        self.b.bin(Binary::IMin, value, most)
    }
}
