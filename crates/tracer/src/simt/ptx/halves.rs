//! Arithmetic on halves and bfloat16, single or packed.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Reg;
use super::super::ops::Binary;
use super::super::wide::WideOp;
use super::lower::Lower;
use super::module::{Instruction, Ty};

impl Lower<'_> {
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

    pub(super) fn half_operation(&mut self, i: &Instruction, ty: Ty, sources: &[Reg]) -> Result<Reg, Diagnostic> {
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
        let value = match i.has("relu") || i.has("sat") {
            true => self.wide_op(WideOp::FMax, &[value, [zero; 2]]),
            false => value,
        };
        let one = self.constants(1.0_f64.to_bits());
        let value = if i.has("sat") { self.wide_op(WideOp::FMin, &[value, one]) } else { value };
        Ok(self.wide_op(if ty == Ty::Bf16 { WideOp::ToBf16 } else { WideOp::ToHalf }, &[value])[0])
    }
}
