//! Operations on bits: logic, shifts, fields, permutations.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Reg;
use super::super::ops::{Binary, Ternary, Unary};
use super::super::wide::WideOp;
use super::lower::Lower;
use super::module::{Instruction, Operand, Ty};

impl Lower<'_> {
    pub(super) fn logic(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        let (op, signed) = (i.words[0].as_str(), ty.is_signed());
        let dst = i.operands.first().ok_or_else(|| self.unsupported(i))?;
        if ty.is_wide() {
            let [a, rest @ ..] = &i.operands[1..] else { return Err(self.unsupported(i)) };
            if let ("shl", [Operand::Whole(by @ 0..64)]) = (op, rest)
                && let Some(sum) = self.sum(a)?.times(1_i64.wrapping_shl(*by as u32))
            {
                return self.write_sum(dst, sum);
            }
            let a = self.pair(a)?;
            let zero = self.b.constant(0);
            let value = match (op, rest) {
                ("shl" | "shr", [by]) => {
                    let by = self.word(by, Ty::Unsigned(32))?;
                    let op = match op {
                        "shl" => WideOp::Shl,
                        _ if signed => WideOp::IShr,
                        _ => WideOp::UShr,
                    };
                    self.wide_op(op, &[a, [by, zero]])
                }
                ("not", []) => self.wide_op(WideOp::Not, &[a]),
                ("and" | "or" | "xor", [b]) => {
                    let b = self.pair(b)?;
                    let op = match op {
                        "and" => WideOp::And,
                        "or" => WideOp::Or,
                        _ => WideOp::Xor,
                    };
                    self.wide_op(op, &[a, b])
                }
                _ => return Err(self.unsupported(i)),
            };
            return self.write(dst, value);
        }
        let a = self.sources(i, ty)?;
        let (bits, pred) = (ty.bits(), ty == Ty::Pred);
        let value = match (op, a.as_slice()) {
            ("and", [a, b]) => self.b.bin(Binary::And, *a, *b),
            ("or", [a, b]) => self.b.bin(Binary::Or, *a, *b),
            ("xor", [a, b]) => self.b.bin(Binary::Xor, *a, *b),
            ("not", [a]) if pred => self.b.un(Unary::Not, *a),
            ("not", [a]) => self.b.un(Unary::BitNot, *a),
            ("cnot", [a]) => {
                let zero = self.b.constant(0);
                self.b.bin(Binary::IEq, *a, zero)
            }
            ("shl", [a, by]) => self.shifted_by(Binary::Shl, *a, *by, bits),
            ("shr", [a, by]) if signed => {
                let a = if bits == 16 { self.sign_extended(*a, 16) } else { *a };
                let most = self.b.constant(31);
                let by = self.b.bin(Binary::UMin, *by, most);
                self.b.bin(Binary::IShr, a, by)
            }
            ("shr", [a, by]) => self.shifted_by(Binary::UShr, *a, *by, bits),
            _ => return Err(self.unsupported(i)),
        };
        let value = if bits == 16 && !pred { self.short(value) } else { value };
        self.write_word(dst, value)
    }

    /// A shift by as many bits as a word has, or more, gives 0.
    pub(super) fn shifted_by(&mut self, op: Binary, a: Reg, by: Reg, _bits: u8) -> Reg {
        if self.b.const_value(by).is_some_and(|by| by < 32) {
            return self.b.bin(op, a, by);
        }
        let (shifted, zero, limit) = (self.b.bin(op, a, by), self.b.constant(0), self.b.constant(32));
        let fits = self.b.bin(Binary::ULt, by, limit);
        self.b.tri(Ternary::Select, fits, shifted, zero)
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
            ("bfind", [a]) => {
                let (zero, ones, leading) =
                    (self.b.constant(0), self.b.constant(u32::MAX), self.b.un(Unary::CountLeadingZeros, *a));
                let none = self.b.bin(Binary::IEq, *a, zero);
                self.b.tri(Ternary::Select, none, ones, leading)
            }
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
                    (left, true) => {
                        let most = self.b.constant(32);
                        let by = self.b.bin(Binary::UMin, *by, most);
                        let (op, all) = match left {
                            true => (Ternary::FunnelLeft, *low),
                            false => (Ternary::FunnelRight, *high),
                        };
                        let (shifted, whole) = (self.b.tri(op, *low, *high, by), self.b.bin(Binary::IEq, by, most));
                        self.b.tri(Ternary::Select, whole, all, shifted)
                    }
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
    pub(super) fn shifted(&mut self, value: Reg, by: Reg) -> Reg {
        let (zero, limit) = (self.b.constant(0), self.b.constant(32));
        let moved = self.b.bin(Binary::Shl, value, by);
        let fits = self.b.bin(Binary::ULt, by, limit);
        self.b.tri(Ternary::Select, fits, moved, zero)
    }

    /// `lop3`: any function of three bits, as the sum of its true rows.
    pub(super) fn lookup(&mut self, a: Reg, b: Reg, c: Reg, table: Reg, i: &Instruction) -> Result<Reg, Diagnostic> {
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
