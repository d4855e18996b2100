//! Operations that few kernels use: sums of differences, products of bytes, sorted bits, and questions about addresses and lanes.

use warpbook_base::diag::Diagnostic;

use super::super::collective::{Fence, What};
use super::super::ir::Reg;
use super::super::ops::{Binary, Ternary, Unary};
use super::super::subgroup::Subgroup;
use super::super::wide::WideOp;
use super::lower::Lower;
use super::module::{Instruction, Operand, Ty};

impl Lower<'_> {
    /// Operations on words that [`WideOp`] has.
    pub(super) fn rare(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        let signed = ty.is_signed();
        let dst = i.operands.first().ok_or_else(|| self.unsupported(i))?;
        let zero = self.b.constant(0);
        let a = self.sources(i, ty)?;
        let word = |me: &mut Self, op: WideOp, args: &[Reg]| {
            let args: Vec<[Reg; 2]> = args.iter().map(|arg| [*arg, zero]).collect();
            me.wide_op(op, &args)[0]
        };
        let value = match (i.words[0].as_str(), a.as_slice()) {
            ("sad", [_, _, _]) if ty.bits() == 32 => word(self, if signed { WideOp::ISad } else { WideOp::USad }, &a),
            ("dp4a", [x, y, c]) => {
                let types = i.types();
                let op = match (types.first().map(|ty| ty.is_signed()), types.last().map(|ty| ty.is_signed())) {
                    (Some(true), Some(true)) => WideOp::IDot4,
                    (Some(false), Some(false)) => WideOp::UDot4,
                    (Some(true), _) => WideOp::IUDot4,
                    _ => WideOp::UIDot4,
                };
                let product = word(self, op, &[*x, *y]);
                self.b.bin(Binary::IAdd, product, *c)
            }
            ("dp2a", [x, y, c]) => {
                let types = i.types();
                let op = match (types.first().map(|ty| ty.is_signed()), types.last().map(|ty| ty.is_signed())) {
                    (Some(true), Some(true)) => WideOp::IDot2,
                    (Some(false), Some(false)) => WideOp::UDot2,
                    (Some(true), _) => WideOp::IUDot2,
                    _ => WideOp::UIDot2,
                };
                let sixteen = self.b.constant(16);
                let bytes = if i.has("hi") { self.b.bin(Binary::UShr, *y, sixteen) } else { *y };
                let product = word(self, op, &[*x, bytes]);
                self.b.bin(Binary::IAdd, product, *c)
            }
            ("vabsdiff2", [x, y, rest @ ..]) => {
                let sixteen = self.b.constant(16);
                let halves = [zero, sixteen].map(|at| {
                    let [x, y] = [*x, *y].map(|word| {
                        let half = self.b.bin(Binary::UShr, word, at);
                        if signed { self.sign_extended(half, 16) } else { self.short(half) }
                    });
                    word(self, if signed { WideOp::ISad } else { WideOp::USad }, &[x, y, zero])
                });
                match rest {
                    [c] if i.has("add") => {
                        let sum = self.b.bin(Binary::IAdd, halves[0], halves[1]);
                        self.b.bin(Binary::IAdd, sum, *c)
                    }
                    _ => {
                        let (low, high) = (self.short(halves[0]), self.b.bin(Binary::Shl, halves[1], sixteen));
                        self.b.bin(Binary::Or, low, high)
                    }
                }
            }
            ("vabsdiff4", [x, y, rest @ ..]) => {
                let op = if signed { WideOp::IAbsDiff4 } else { WideOp::UAbsDiff4 };
                let value = word(self, op, &[*x, *y]);
                match rest {
                    [c] if i.has("add") => {
                        let sum = word(self, WideOp::BytesSum, &[value]);
                        self.b.bin(Binary::IAdd, sum, *c)
                    }
                    _ => value,
                }
            }
            ("fns", [_, _, _]) => word(self, WideOp::FindNthSet, &a),
            // Bits of a number, from one bit on; and a number of as many bits, extended.
            ("bmsk", [at, len]) => {
                let (ones, bits) = (self.b.constant(u32::MAX), self.b.constant(31));
                let (at, len) = match i.has("wrap") {
                    true => (self.b.bin(Binary::And, *at, bits), self.b.bin(Binary::And, *len, bits)),
                    false => (*at, *len),
                };
                let mask = self.b.tri(Ternary::UField, ones, zero, len);
                self.shifted(mask, at)
            }
            ("szext", [x, len]) => {
                let bits = self.b.constant(31);
                let len = if i.has("wrap") { self.b.bin(Binary::And, *len, bits) } else { *len };
                self.b.tri(if signed { Ternary::IField } else { Ternary::UField }, *x, zero, len)
            }
            ("slct", [x, y, c]) => {
                let cond = match ty {
                    Ty::Float(_) => self.b.bin(Binary::FLe, zero, *c),
                    _ => self.b.bin(Binary::ILe, zero, *c),
                };
                self.b.tri(Ternary::Select, cond, *x, *y)
            }
            _ => return Err(self.unsupported(i)),
        };
        self.write_word(dst, value)
    }

    /// Fields of 64 bits.
    pub(super) fn wide_field(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let signed = i.types().last().is_some_and(|ty| ty.is_signed());
        let zero = self.b.constant(0);
        let value = match (i.words[0].as_str(), i.operands.as_slice()) {
            ("bfe", [_, a, at, len]) => {
                let (at, len) = (self.word(at, Ty::Bits(32))?, self.word(len, Ty::Bits(32))?);
                let a = self.pair(a)?;
                let op = if signed { WideOp::IField } else { WideOp::UField };
                self.wide_op(op, &[a, [at, zero], [len, zero]])
            }
            ("bfi", [_, field, into, at, len]) => {
                let (at, len) = (self.word(at, Ty::Bits(32))?, self.word(len, Ty::Bits(32))?);
                let (field, into) = (self.pair(field)?, self.pair(into)?);
                let one = self.constants(1);
                let end = self.wide_op(WideOp::Shl, &[one, [len, zero]]);
                let mask = self.wide_op(WideOp::Sub, &[end, one]);
                let field = self.wide_op(WideOp::And, &[field, mask]);
                let (field, mask) =
                    (self.wide_op(WideOp::Shl, &[field, [at, zero]]), self.wide_op(WideOp::Shl, &[mask, [at, zero]]));
                let keep = self.wide_op(WideOp::Not, &[mask]);
                let kept = self.wide_op(WideOp::And, &[into, keep]);
                self.wide_op(WideOp::Or, &[kept, field])
            }
            _ => return Err(self.unsupported(i)),
        };
        self.write(&i.operands[0], value)
    }

    /// `isspacep`: whether a generic address leads into a memory.
    pub(super) fn is_in_space(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, address] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let high = self.pair(address)?[1];
        let (half, eight) = (self.b.constant(0x80), self.b.constant(8));
        let near = self.b.bin(Binary::IAdd, high, half);
        let number = self.b.bin(Binary::UShr, near, eight);
        let (local, shared) = (self.b.constant(0xFE00), self.b.constant(0xFF00));
        let named = |space: &str| i.words[1..].iter().any(|w| w == space || w.split("::").next() == Some(space));
        let value = if named("shared") {
            self.b.bin(Binary::IEq, number, shared)
        } else if named("local") {
            self.b.bin(Binary::IEq, number, local)
        } else if named("global") {
            let (zero, below) = (self.b.constant(0), self.b.bin(Binary::ULt, number, local));
            let some = self.b.bin(Binary::INe, number, zero);
            self.b.bin(Binary::And, below, some)
        } else {
            self.b.constant(0)
        };
        self.write_word(dst, value)
    }

    /// `match.any` and `match.all`: the lanes that bring the same.
    pub(super) fn matches(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, value, members] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        let members = self.word(members, Ty::Bits(32))?;
        let (zero, one) = (self.b.constant(0), self.b.constant(1));
        let alike = if ty.is_wide() {
            let [low, high] = self.pair(value)?;
            let (low, high) = (self.subgroup(Subgroup::Match, low, zero), self.subgroup(Subgroup::Match, high, zero));
            self.b.bin(Binary::And, low, high)
        } else {
            let value = self.word(value, ty)?;
            self.subgroup(Subgroup::Match, value, zero)
        };
        let alike = self.b.bin(Binary::And, alike, members);
        if i.has("any") {
            return self.write_word(dst, alike);
        }
        let active = self.subgroup(Subgroup::Ballot, one, zero);
        let active = self.b.bin(Binary::And, active, members);
        let all = self.b.bin(Binary::IEq, alike, active);
        let mask = self.b.tri(Ternary::Select, all, alike, zero);
        match dst {
            Operand::Two(dst, pred) => {
                self.write_word(&Operand::Reg(*dst), mask)?;
                self.write_word(&Operand::Reg(*pred), all)
            }
            dst => self.write_word(dst, mask),
        }
    }

    /// Memory fences. Those between proxies order nothing that the tracer does out of order.
    pub(super) fn fence(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        // Proxy fences and fence.mbarrier_init do not order the accesses of threads.
        let is_of_threads = !["proxy", "mbarrier_init", "sync_restrict"]
            .into_iter()
            .any(|word| i.words.iter().any(|of| of.starts_with(word)));
        if is_of_threads {
            let (acquires, releases) = (!i.has("release"), !i.has("acquire"));
            let sc = i.has("sc") || i.words[0] == "membar";
            self.uncounted(What::Fence(Fence { wide: !i.has("cta"), acquires, releases, sc }), Vec::new());
        }
        Ok(())
    }

    /// A function of a half or a bfloat, or of two: that of the single, rounded.
    pub(super) fn half_function(&mut self, i: &Instruction, ty: Ty) -> Result<(), Diagnostic> {
        let op = match i.words[0].as_str() {
            "ex2" => Unary::Exp2,
            "tanh" => Unary::Tanh,
            _ => return Err(self.unsupported(i)),
        };
        let one = if matches!(ty, Ty::F16x2 | Ty::Float(16)) { Ty::Float(16) } else { Ty::Bf16 };
        let back = if one == Ty::Bf16 { Unary::ToBf16 } else { Unary::ToHalf };
        let a = *self.sources(i, ty)?.first().ok_or_else(|| self.unsupported(i))?;
        let of = |me: &mut Self, value: Reg| {
            let value = me.single(value, one);
            let value = me.b.un(op, value);
            me.b.un(back, value)
        };
        if !matches!(ty, Ty::F16x2 | Ty::Bf16x2) {
            let value = of(self, a);
            return self.write_word(&i.operands[0], value);
        }
        let sixteen = self.b.constant(16);
        let (low, high) = (self.short(a), self.b.bin(Binary::UShr, a, sixteen));
        let (low, high) = (of(self, low), of(self, high));
        let high = self.b.bin(Binary::Shl, high, sixteen);
        let value = self.b.bin(Binary::Or, low, high);
        self.write_word(&i.operands[0], value)
    }
}
