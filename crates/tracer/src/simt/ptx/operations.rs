//! Instructions on registers: arithmetic, logic, comparisons, exchanges between lanes, barriers.

use warpbook_base::diag::Diagnostic;

use super::super::ir::{Inst, Orders, Reg};
use super::super::ops::{Binary, Ternary, Unary};
use super::super::subgroup::{Shuffle, Subgroup};
use super::super::wide::WideOp;
use super::addresses::{Atom, Sum};
use super::lower::Lower;
use super::module::{Instruction, Operand, Ty};

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

    /// Of what was pushed for one instruction of PTX, only the first operation counts.
    fn count_once(&mut self, first: usize) {
        let mut counted = false;
        for (inst, line) in self.b.ir.insts[first..].iter().zip(&mut self.b.ir.lines[first..]) {
            if inst.weight() > 0 && std::mem::replace(&mut counted, true) {
                *line = 0;
            }
        }
    }

    fn operation(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
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
            "bfe" | "bfi" | "prmt" | "shf" | "lop3" | "brev" | "popc" | "clz" | "bfind" | "mul24" | "mad24" => self.bits(i),
            "rcp" | "sqrt" | "rsqrt" | "ex2" | "lg2" | "sin" | "cos" | "tanh" | "copysign" | "testp" => self.function(i),
            "shfl" | "vote" | "activemask" | "redux" => self.exchange(i),
            "bar" | "barrier" => self.barrier(i),
            // Memory is in order within a warp here, and caches are not modelled.
            "membar" | "fence" | "prefetch" | "prefetchu" | "nanosleep" | "discard" | "applypriority" => Ok(()),
            _ => Err(self.unsupported(i)),
        }
    }

    fn barrier(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        if i.words[1..].first().is_some_and(|word| word == "warp") {
            return Ok(());
        }
        let whole = matches!(i.operands.as_slice(), [] | [Operand::Whole(0)])
            || matches!(i.operands.as_slice(), [Operand::Whole(0), Operand::Whole(count)] if *count == self.threads());
        if !i.has("sync") || !whole || i.has("red") {
            return Err(self.unsupported(i));
        }
        self.b.push(Inst::Barrier(Orders { shared: true, storage: true }));
        Ok(())
    }

    fn threads(&self) -> u64 {
        self.ptx.block.iter().map(|n| u64::from(*n)).product::<u64>().next_multiple_of(32)
    }

    fn moved(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, src] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        match (dst, src) {
            (Operand::Parts(parts), src) => self.unpack(parts, src, ty),
            (dst, Operand::Parts(parts)) => self.pack(dst, parts, ty),
            _ if ty.is_wide() => {
                let sum = self.sum(src)?;
                self.write_sum(dst, sum)
            }
            _ => {
                let value = self.word(src, ty)?;
                self.write_word(dst, value)
            }
        }
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

    fn arithmetic(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        if i.has("wide") {
            return self.widening(i, ty);
        }
        if i.has("cc") || i.has("sat") && ty != Ty::Float(32) {
            return Err(self.unsupported(i));
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

    fn pairs(&mut self, i: &Instruction) -> Result<Vec<[Reg; 2]>, Diagnostic> {
        i.operands[1..].iter().map(|operand| self.pair(operand)).collect()
    }

    pub(super) fn wide_op(&mut self, op: WideOp, args: &[[Reg; 2]]) -> [Reg; 2] {
        let zero = self.b.constant(0);
        let at = |n: usize| args.get(n).copied().unwrap_or([zero; 2]);
        let args = [at(0), at(1), at(2)];
        self.b.wide(op, args)
    }

    /// `mul.wide` and `mad.wide`.
    fn widening(&mut self, i: &Instruction, ty: Ty) -> Result<(), Diagnostic> {
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
                self.write_added(dst, product, c, i)
            }
            _ => Err(self.unsupported(i)),
        }
    }

    /// Writes a sum of two; where that is no sum, its value.
    fn write_added(&mut self, dst: &Operand, a: Sum, b: Sum, i: &Instruction) -> Result<(), Diagnostic> {
        if let Some(sum) = a.clone().plus(&b) {
            return self.write_sum(dst, sum);
        }
        if a.root.is_some() && b.root.is_some() {
            return Err(self.error(format!("`{}` adds two addresses", i.words.join("."))));
        }
        let (x, y) = (self.computed(&a), self.computed(&b));
        let value = self.wide_op(WideOp::Add, &[x, y]);
        // Its root stays known: the value is an offset in that memory.
        self.write(dst, value)
    }

    fn arithmetic_wide(&mut self, i: &Instruction, ty: Ty) -> Result<(), Diagnostic> {
        let op = i.words[0].as_str();
        let dst = i.operands.first().ok_or_else(|| self.unsupported(i))?;
        if ty != Ty::Float(64) {
            match (op, &i.operands[1..]) {
                ("add", [a, b]) => {
                    let (a, b) = (self.sum(a)?, self.sum(b)?);
                    return self.write_added(dst, a, b, i);
                }
                ("sub", [a, b]) => {
                    let (a, b) = (self.sum(a)?, self.sum(b)?);
                    if let Some(less) = b.times(-1) {
                        return self.write_added(dst, a, less, i);
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
                    return self.write_added(dst, product, c, i);
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
            ("mul", _) if i.has("hi") => if signed { WideOp::IMulHigh } else { WideOp::UMulHigh },
            ("div", _) => if signed { WideOp::IDiv } else { WideOp::UDiv },
            ("rem", _) => if signed { WideOp::IRem } else { WideOp::URem },
            ("min", _) => if signed { WideOp::IMin } else { WideOp::UMin },
            ("max", _) => if signed { WideOp::IMax } else { WideOp::UMax },
            ("neg", _) => WideOp::Neg,
            ("abs", _) => WideOp::IAbs,
            _ => return Err(self.unsupported(i)),
        };
        let args = self.pairs(i)?;
        let value = self.wide_op(wide, &args);
        self.write(dst, value)
    }

    fn arithmetic_float(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let a = self.sources(i, Ty::Float(32))?;
        let directed = i.words[1..].iter().find_map(|word| match word.as_str() {
            "rm" => Some(Ternary::FmaDown),
            "rp" => Some(Ternary::FmaUp),
            "rz" => Some(Ternary::FmaToZero),
            _ => None,
        });
        if let Some(op) = directed {
            let (one, zero) = (self.b.constant(1.0_f32.to_bits()), self.b.constant((-0.0_f32).to_bits()));
            let value = match (i.words[0].as_str(), a.as_slice()) {
                ("fma" | "mad", [a, b, c]) => self.b.tri(op, *a, *b, *c),
                ("add", [a, b]) => self.b.tri(op, *a, one, *b),
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

    fn arithmetic_int(&mut self, i: &Instruction, ty: Ty) -> Result<(), Diagnostic> {
        let mut a = self.sources(i, ty)?;
        let (signed, short) = (ty.is_signed(), ty.bits() == 16);
        if short && signed {
            a = a.into_iter().map(|value| self.sign_extended(value, 16)).collect();
        }
        let pick = |s: Binary, u: Binary| if signed { s } else { u };
        let value = match (i.words[0].as_str(), a.as_slice()) {
            ("add", [a, b]) => self.b.bin(Binary::IAdd, *a, *b),
            ("sub", [a, b]) => self.b.bin(Binary::ISub, *a, *b),
            ("mul", [a, b]) if i.has("hi") && !short => {
                self.b.bin(pick(Binary::IMulHigh, Binary::UMulHigh), *a, *b)
            }
            ("mul", [a, b]) if i.has("lo") => self.b.bin(Binary::IMul, *a, *b),
            ("mad", [a, b, c]) if i.has("lo") => {
                // Two operations: so a linear index stays linear.
                let product = self.b.bin(Binary::IMul, *a, *b);
                self.b.bin(Binary::IAdd, product, *c)
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

    fn logic(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
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
    fn shifted_by(&mut self, op: Binary, a: Reg, by: Reg, _bits: u8) -> Reg {
        if self.b.const_value(by).is_some_and(|by| by < 32) {
            return self.b.bin(op, a, by);
        }
        let (shifted, zero, limit) = (self.b.bin(op, a, by), self.b.constant(0), self.b.constant(32));
        let fits = self.b.bin(Binary::ULt, by, limit);
        self.b.tri(Ternary::Select, fits, shifted, zero)
    }

    fn select(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
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

    fn function(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        let dst = i.operands.first().ok_or_else(|| self.unsupported(i))?;
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
                _ => return Err(self.unsupported(i)),
            };
            return self.write(dst, value);
        }
        if ty != Ty::Float(32) {
            return Err(self.unsupported(i));
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
            _ => return Err(self.unsupported(i)),
        };
        self.write_word(dst, value)
    }

    fn exchange(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let (zero, one) = (self.b.constant(0), self.b.constant(1));
        let dst = i.operands.first().ok_or_else(|| self.unsupported(i))?;
        match (i.words[0].as_str(), &i.operands[1..]) {
            ("activemask", []) => {
                let value = self.subgroup(Subgroup::Ballot, one, zero);
                self.write_word(dst, value)
            }
            ("vote", [pred, ..]) => {
                let value = self.word(pred, Ty::Pred)?;
                let op = i.words[1..].iter().find_map(|word| match word.as_str() {
                    "ballot" => Some(Subgroup::Ballot),
                    "any" => Some(Subgroup::Reduce(Binary::Or)),
                    "all" => Some(Subgroup::Reduce(Binary::And)),
                    _ => None,
                });
                let value = self.subgroup(op.ok_or_else(|| self.unsupported(i))?, value, zero);
                self.write_word(dst, value)
            }
            ("redux", [src, ..]) => {
                let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
                let signed = ty.is_signed();
                let op = i.words[1..].iter().find_map(|word| {
                    Some(match word.as_str() {
                        "add" => Binary::IAdd,
                        "and" => Binary::And,
                        "or" => Binary::Or,
                        "xor" => Binary::Xor,
                        "min" if signed => Binary::IMin,
                        "min" => Binary::UMin,
                        "max" if signed => Binary::IMax,
                        "max" => Binary::UMax,
                        _ => return None,
                    })
                });
                let op = op.filter(|_| !matches!(ty, Ty::Float(_))).ok_or_else(|| self.unsupported(i))?;
                let value = self.word(src, ty)?;
                let value = self.subgroup(Subgroup::Reduce(op), value, zero);
                self.write_word(dst, value)
            }
            ("shfl", [src, by, clamp, ..]) => {
                let how = i.words[1..].iter().find_map(|word| match word.as_str() {
                    "up" => Some(Shuffle::Up),
                    "down" => Some(Shuffle::Down),
                    "bfly" => Some(Shuffle::Xor),
                    "idx" => Some(Shuffle::Index),
                    _ => None,
                });
                let how = how.ok_or_else(|| self.unsupported(i))?;
                let (value, by) = (self.word(src, Ty::Bits(32))?, self.word(by, Ty::Bits(32))?);
                let clamp = self.word(clamp, Ty::Bits(32))?;
                let clamp = self.b.const_value(clamp).and_then(|clamp| u16::try_from(clamp).ok());
                let clamp = clamp.ok_or_else(|| self.unsupported(i))?;
                let (dst, there) = match dst {
                    Operand::Two(dst, there) => {
                        (Operand::Reg(*dst), self.is_read(*there).then_some(Operand::Reg(*there)))
                    }
                    dst => (dst.clone(), None),
                };
                let got = self.subgroup(Subgroup::Clamped { how, clamp }, value, by);
                self.write_word(&dst, got)?;
                if let Some(there) = there {
                    let value = self.subgroup(Subgroup::InClamp { how, clamp }, value, by);
                    self.write_word(&there, value)?;
                }
                Ok(())
            }
            _ => Err(self.unsupported(i)),
        }
    }

    /// An operation among lanes; of a ballot the first word.
    fn subgroup(&mut self, op: Subgroup, a: Reg, index: Reg) -> Reg {
        let zero = self.b.constant(0);
        let mut dst = [zero; 4];
        dst.iter_mut().take(op.results()).for_each(|reg| *reg = self.b.temp());
        self.b.push(Inst::Subgroup { op, dst, a, index });
        dst[0]
    }
}
