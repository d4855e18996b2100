//! Moves between registers, whole and in parts.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Reg;
use super::super::ops::{Binary, Ternary};
use super::addresses::{Atom, Sum};
use super::lower::Lower;
use super::module::{Instruction, Operand, Ty};
use super::variables::{LOCAL, SHARED};

impl Lower<'_> {
    pub(super) fn moved(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, src] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        match (dst, src) {
            (Operand::Parts(parts), src) => self.unpack(parts, src, ty),
            (dst, Operand::Parts(parts)) => self.pack(dst, parts, ty),
            _ if ty.is_wide() => {
                let sum = self.sum(src)?;
                let sum = if i.words[0] == "cvta" && !i.has("to") { self.generic(i, sum) } else { sum };
                self.write_sum(dst, sum)
            }
            _ => {
                let value = self.word(src, ty)?;
                self.write_word(dst, value)
            }
        }
    }

    /// An address in shared or local memory as a generic one. As a word it has only the byte.
    fn generic(&mut self, i: &Instruction, sum: Sum) -> Sum {
        let number = match (i.has("shared"), i.has("local")) {
            (true, _) => SHARED,
            (_, true) => LOCAL,
            _ => return sum,
        };
        if sum.root.is_some() {
            return sum;
        }
        let low = self.computed(&sum)[0];
        let high = self.b.constant(number);
        Sum::of(Atom::Pair([low, high]))
    }

    /// `mov.b64 {a, b}, c`: a value in parts.
    fn unpack(&mut self, parts: &[Operand], src: &Operand, ty: Ty) -> Result<(), Diagnostic> {
        let value = if ty.is_wide() { self.pair(src)? } else { [self.word(src, ty)?; 2] };
        match (ty.bits(), parts.len()) {
            (64, 2) => (0..2).try_for_each(|n| self.write_word(&parts[n], value[n])),
            (64, 4) => (0..4).try_for_each(|n| {
                let half = self.part(value[n / 2], 16, n % 2);
                self.write_word(&parts[n], half)
            }),
            (32, count @ (2 | 4)) => (0..count).try_for_each(|n| {
                let part = self.part(value[0], 32 / count as u32, n);
                self.write_word(&parts[n], part)
            }),
            _ => Err(self.error("these parts cannot be traced")),
        }
    }

    /// Part `n`, of `bits` bits, of a word.
    fn part(&mut self, word: Reg, bits: u32, n: usize) -> Reg {
        let (offset, bits) = (self.b.constant(bits * n as u32), self.b.constant(bits));
        self.b.tri(Ternary::UExtract, word, offset, bits)
    }

    fn pack(&mut self, dst: &Operand, parts: &[Operand], ty: Ty) -> Result<(), Diagnostic> {
        let part = Ty::Bits(ty.bits() / u8::try_from(parts.len().max(1)).unwrap_or(1));
        let words = parts.iter().map(|p| self.word(p, part)).collect::<Result<Vec<Reg>, _>>()?;
        match (ty.bits(), words.as_slice()) {
            (64, [low, high]) => self.write(dst, [*low, *high]),
            (64, [a, b, c, d]) => {
                let value = [self.joined(&[*a, *b], 16), self.joined(&[*c, *d], 16)];
                self.write(dst, value)
            }
            (32, [_, _]) => {
                let value = self.joined(&words, 16);
                self.write_word(dst, value)
            }
            (32, [_, _, _, _]) => {
                let value = self.joined(&words, 8);
                self.write_word(dst, value)
            }
            _ => Err(self.error("these parts cannot be traced")),
        }
    }

    /// Parts of `bits` bits as one word.
    fn joined(&mut self, parts: &[Reg], bits: u32) -> Reg {
        let mut word = parts[0];
        for (n, part) in (1..).zip(&parts[1..]) {
            let by = self.b.constant(bits * n);
            let moved = self.b.bin(Binary::Shl, *part, by);
            word = self.b.bin(Binary::Or, word, moved);
        }
        word
    }
}
