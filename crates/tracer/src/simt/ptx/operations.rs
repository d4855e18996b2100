//! Which instruction is lowered where; moves, and functions of floats.

use warpbook_base::diag::Diagnostic;

use super::super::ir::{Inst, Reg};
use super::super::ops::{Binary, Ternary, Unary};
use super::super::wide::WideOp;
use super::addresses::{Atom, Sum};
use super::lower::Lower;
use super::module::{Instruction, Operand, Ty};
use super::variables::{LOCAL, SHARED};

impl Lower<'_> {
    /// Lowers one instruction, under its predicate.
    pub(super) fn instruction(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        self.at = i.at;
        self.room()?;
        self.b.at_line(i.line);
        let guard = i.guard.map(|(pred, when)| {
            self.b.uncounted = true;
            let cond = self.read(pred)[0];
            let cond = if when { cond } else { self.b.un(Unary::Not, cond) };
            self.b.push(Inst::If { cond, counted: false });
            self.b.uncounted = false;
        });
        let first = self.b.ir.insts.len();
        self.operation(i)?;
        self.count_once(first);
        if guard.is_some() {
            self.b.push(Inst::EndIf);
        }
        Ok(())
    }

    /// Of the operations that one PTX instruction became, counts only one: the first of a whole warp, or else the first.
    fn count_once(&mut self, first: usize) {
        let insts = &self.b.ir.insts[first..];
        let lines = &self.b.ir.lines[first..];
        let place =
            |of: &dyn Fn(&Inst) -> bool| insts.iter().zip(lines).position(|(inst, line)| *line != 0 && of(inst));
        let together = place(&|inst| matches!(inst, Inst::Collective { .. }));
        let counted = together.or(place(&|inst| inst.weight() > 0));
        for (n, (inst, line)) in insts.iter().zip(&mut self.b.ir.lines[first..]).enumerate() {
            if inst.weight() > 0 && Some(n) != counted {
                *line = 0;
            }
        }
    }

    fn operation(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        self.members(i)?;
        if Self::carries(i) {
            return self.with_carry(i);
        }
        match i.words[0].as_str() {
            "ld" | "ldu" => self.load(i),
            "st" => self.store(i),
            "atom" | "red" => self.atomic(i),
            "mov" | "cvta" => self.moved(i),
            "cvt" => self.convert(i),
            "add" | "sub" | "mul" | "mad" | "fma" | "div" | "rem" | "min" | "max" | "neg" | "abs" => self.arithmetic(i),
            "and" | "or" | "xor" | "not" | "cnot" | "shl" | "shr" => self.logic(i),
            "setp" | "set" => self.compare(i),
            "selp" => self.select(i),
            "bfe" | "bfi" if i.types().last().is_some_and(|ty| ty.is_wide()) => self.wide_field(i),
            "bfe" | "bfi" | "prmt" | "shf" | "lop3" | "brev" | "popc" | "clz" | "bfind" | "mul24" | "mad24" => {
                self.bits(i)
            }
            "rcp" | "sqrt" | "rsqrt" | "ex2" | "lg2" | "sin" | "cos" | "tanh" | "copysign" | "testp" => {
                self.function(i)
            }
            "shfl" | "vote" | "activemask" | "redux" => self.exchange(i),
            "bar" | "barrier" => self.barrier(i),
            "match" => self.matches(i),
            "sad" | "dp2a" | "dp4a" | "vabsdiff2" | "vabsdiff4" | "fns" | "slct" | "bmsk" | "szext" => self.rare(i),
            "isspacep" => self.is_in_space(i),
            "mma" | "ldmatrix" | "stmatrix" | "movmatrix" | "wmma" => self.matrices(i),
            "cp" if i.has("bulk") => self.bulk(i),
            "cp" => self.asynchronous(i),
            "mbarrier" => self.mbarrier(i),
            "wgmma" => self.wgmma(i),
            "elect" => self.elect(i),
            "membar" | "fence" => self.fence(i),
            // Caches are not modelled, nor time, nor how many registers there are: a policy changes no value.
            "createpolicy" => i.operands.first().map_or(Ok(()), |dst| {
                let zero = self.b.constant(0);
                self.write(dst, [zero; 2])
            }),
            "prefetch" | "prefetchu" | "nanosleep" | "discard" | "applypriority" | "setmaxnreg" => Ok(()),
            "printf" | "assert" | "trap" => self.outcry(i),
            // For debuggers and profilers.
            "brkpt" | "pmevent" => Ok(()),
            _ => Err(self.unsupported(i)),
        }
    }

    fn moved(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
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

    fn function(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        let dst = i.operands.first().ok_or_else(|| self.unsupported(i))?;
        if let (Ty::Float(64), Some(by)) = (ty, super::convert::directed(i)) {
            return self.directed_wide(i, by);
        }
        if ty == Ty::Float(64) {
            let a = self.pairs(i)?;
            let one = self.constants(1.0_f64.to_bits());
            let value = match (i.words[0].as_str(), a.as_slice()) {
                ("rcp", [a]) => self.wide_op(WideOp::FDiv, &[one, *a]),
                ("sqrt", [a]) => self.wide_op(WideOp::Sqrt, &[*a]),
                ("rsqrt", [a]) => {
                    let root = self.wide_op(WideOp::Sqrt, &[*a]);
                    self.wide_op(WideOp::FDiv, &[one, root])
                }
                ("copysign", [a, b]) => {
                    let sign = self.constants(1 << 63);
                    let (sign, rest) = (self.wide_op(WideOp::And, &[*a, sign]), self.wide_op(WideOp::FAbs, &[*b]));
                    self.wide_op(WideOp::Or, &[sign, rest])
                }
                _ => return Err(self.unsupported(i)),
            };
            return self.write(dst, value);
        }
        if matches!(ty, Ty::Float(16) | Ty::F16x2 | Ty::Bf16 | Ty::Bf16x2) {
            return self.half_function(i, ty);
        }
        if ty != Ty::Float(32) {
            return Err(self.unsupported(i));
        }
        if let Some(to) = super::convert::directed(i) {
            return self.directed_function(i, to);
        }
        let a = self.sources(i, ty)?;
        let one = self.b.constant(1.0_f32.to_bits());
        let value = match (i.words[0].as_str(), a.as_slice()) {
            ("rcp", [a]) => self.b.bin(Binary::FDiv, one, *a),
            ("sqrt", [a]) => self.b.un(Unary::Sqrt, *a),
            ("rsqrt", [a]) => self.b.un(Unary::InverseSqrt, *a),
            ("ex2", [a]) => self.b.un(Unary::Exp2, *a),
            ("lg2", [a]) => self.b.un(Unary::Log2, *a),
            ("sin", [a]) => self.b.un(Unary::Sin, *a),
            ("cos", [a]) => self.b.un(Unary::Cos, *a),
            ("tanh", [a]) => self.b.un(Unary::Tanh, *a),
            ("copysign", [a, b]) => {
                let (sign, rest) = (self.b.constant(1 << 31), self.b.constant(u32::MAX >> 1));
                let (a, b) = (self.b.bin(Binary::And, *a, sign), self.b.bin(Binary::And, *b, rest));
                self.b.bin(Binary::Or, a, b)
            }
            ("testp", [a]) if i.has("notanumber") => self.b.un(Unary::IsNan, *a),
            ("testp", [a]) if i.has("infinite") => self.b.un(Unary::IsInf, *a),
            ("testp", [a]) if i.has("number") => {
                let nan = self.b.un(Unary::IsNan, *a);
                self.b.un(Unary::Not, nan)
            }
            ("testp", [a]) if i.has("finite") => {
                let (nan, infinite) = (self.b.un(Unary::IsNan, *a), self.b.un(Unary::IsInf, *a));
                let neither = self.b.bin(Binary::Or, nan, infinite);
                self.b.un(Unary::Not, neither)
            }
            _ => return Err(self.unsupported(i)),
        };
        self.write_word(dst, value)
    }
}
