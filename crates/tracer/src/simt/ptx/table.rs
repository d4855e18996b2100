//! The instructions of PTX in one table: the operation of each by its name, suffixes and type. An instruction whose operation is in the
//! IR is added by one row.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Reg;
use super::super::ops::{Binary as B, Ternary as T, Unary as U};
use super::super::wide::{Pair, WideOp as W};
use super::lower::Lower;
use super::module::{Instruction, Ty};

use Does::{Bin, BinAdd, Four, LongOne, LongTwo, Nothing, One, Own, Refused, Three, Tri, Two, Un, Wide};
use Kind::{Bf16, E8, F16, F32, F64, Other, Pred, S16, S16x2, S32, S64, U16, U16x2, U32, U64};

/// Several operations of the IR: from the values of an instruction's operands to the value of its result.
type Words<const N: usize> = fn(&mut Lower<'_>, &Instruction, [Reg; N]) -> Reg;
type Pairs<const N: usize> = fn(&mut Lower<'_>, [Pair<Reg>; N]) -> Pair<Reg>;

/// A type, as far as operations differ by it. Bits without a meaning count as unsigned integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Pred,
    U16,
    U32,
    U64,
    S16,
    S32,
    S64,
    /// A half, or two of them in a word.
    F16,
    /// A bfloat16, or two of them in a word.
    Bf16,
    F32,
    F64,
    /// Two floats of 8 bits.
    E8,
    /// Two integers of 16 bits in a word.
    U16x2,
    S16x2,
    /// Any other: only moves and conversions have it.
    Other,
}

impl Kind {
    fn named(suffix: &str) -> Option<Self> {
        Some(match suffix {
            "pred" => Pred,
            "b16" | "u16" => U16,
            "b32" | "u32" => U32,
            "b64" | "u64" => U64,
            "s16" => S16,
            "s32" => S32,
            "s64" => S64,
            "f16" | "f16x2" => F16,
            "bf16" | "bf16x2" => Bf16,
            "f32" => F32,
            "f64" => F64,
            "e4m3x2" | "e5m2x2" | "ue8m0x2" => E8,
            "u16x2" => U16x2,
            "s16x2" => S16x2,
            _ => return Ty::named(suffix).map(|_| Other),
        })
    }

    /// The kind of an instruction's last type.
    pub(super) fn of(i: &Instruction) -> Option<Self> {
        i.words[1..].iter().rev().find_map(|word| Self::named(word))
    }
}

/// An instruction of PTX.
pub(super) struct Row {
    /// Its name and the suffixes that it must have, in any order; it may have others. Without a name, any instruction with these.
    name: &'static str,
    /// The types of its operation; empty if it may be any.
    kinds: &'static [Kind],
    pub does: Does,
}

/// The operation of an instruction. One of the IR takes as many operands as the instruction must have; each is read and its result
/// written as the type of the instruction says, see [`super::operations`].
pub(super) enum Does {
    /// An operation on values of one register.
    Un(U),
    Bin(B),
    Tri(T),
    /// An operation on the first two operands, and a sum of its result and the third.
    BinAdd(B),
    /// An operation on values of two registers, or as [`W::words`] says. Of halves: computed exactly, and rounded once.
    Wide(W),
    /// Several operations, on one to four operands of one register each.
    One(Words<1>),
    Two(Words<2>),
    Three(Words<3>),
    Four(Words<4>),
    /// Several operations, on one or two operands of 64 bits.
    LongOne(Pairs<1>),
    LongTwo(Pairs<2>),
    /// A function that reads the operands and writes the results itself.
    Own(fn(&mut Lower<'_>, &Instruction) -> Result<(), Diagnostic>),
    /// Changes no value that a kernel can see.
    Nothing,
    /// Cannot be traced.
    Refused,
}

impl Row {
    /// The first row that an instruction fits.
    pub(super) fn of(i: &Instruction) -> Option<&'static Self> {
        let kind = Kind::of(i);
        INSTRUCTIONS.iter().find(|row| {
            row.suffixes(&i.words[0]).is_some_and(|suffixes| suffixes.split('.').skip(1).all(|word| i.has(word)))
                && (row.kinds.is_empty() || kind.is_some_and(|kind| row.kinds.contains(&kind)))
        })
    }

    /// The suffixes that an instruction called `name` must have, each after a dot; None if the row is of another name.
    fn suffixes(&self, name: &str) -> Option<&str> {
        match self.name.starts_with('.') {
            true => Some(self.name),
            false => self.name.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('.')),
        }
    }
}

/// Looks an operation up in a table by a suffix and the type of an instruction.
pub(super) fn by_suffix<T: Copy>(table: &[(&str, &[Kind], T)], i: &Instruction) -> Option<T> {
    let kind = Kind::of(i)?;
    table.iter().find(|(name, kinds, _)| kinds.contains(&kind) && i.has(name)).map(|(.., operation)| *operation)
}

const fn row(name: &'static str, kinds: &'static [Kind], does: Does) -> Row {
    Row { name, kinds, does }
}

const ANY: &[Kind] = &[];
const UNSIGNED: &[Kind] = &[U16, U32];
const SIGNED: &[Kind] = &[S16, S32];
pub(super) const WORDS: &[Kind] = &[U16, U32, S16, S32];
pub(super) const LONG: &[Kind] = &[U64, S64];
const HALVES: &[Kind] = &[F16, Bf16];
/// Floats that are computed as doubles.
const EXACT: &[Kind] = &[F16, Bf16, F64];
/// 32 bits, whatever they mean.
const B32: &[Kind] = &[U32, S32];

/// The first row that fits counts, so that rows with more suffixes come before those with fewer.
const INSTRUCTIONS: &[Row] = &[
    // Sums with a carry; no other instructions have one.
    row("add.cc", ANY, Own(|l, i| l.with_carry(i))),
    row("addc", ANY, Own(|l, i| l.with_carry(i))),
    row("sub.cc", ANY, Own(|l, i| l.with_carry(i))),
    row("subc", ANY, Own(|l, i| l.with_carry(i))),
    row("mad.cc", ANY, Own(|l, i| l.with_carry(i))),
    row("madc", ANY, Own(|l, i| l.with_carry(i))),
    row(".cc", ANY, Refused),
    // Memory and moves.
    row("ld", ANY, Own(|l, i| l.load(i))),
    row("ldu", ANY, Own(|l, i| l.load(i))),
    row("st", ANY, Own(|l, i| l.store(i))),
    row("atom", ANY, Own(|l, i| l.atomic(i))),
    row("red", ANY, Own(|l, i| l.atomic(i))),
    row("mov", ANY, Own(|l, i| l.moved(i))),
    row("cvta", ANY, Own(|l, i| l.moved(i))),
    row("isspacep", ANY, Own(|l, i| l.is_in_space(i))),
    // Conversions.
    row("cvt.rna.tf32", &[F32], Wide(W::ToTf32)),
    row("cvt.rn.tf32", &[F32], Wide(W::ToTf32Even)),
    row("cvt.e4m3x2", &[F32], Two(|l, i, a| l.eights(i, W::ToE4m3, a))),
    row("cvt.e5m2x2", &[F32], Two(|l, i, a| l.eights(i, W::ToE5m2, a))),
    row("cvt.e4m3x2", HALVES, Own(|l, i| l.eights_of_halves(i, W::ToE4m3))),
    row("cvt.e5m2x2", HALVES, Own(|l, i| l.eights_of_halves(i, W::ToE5m2))),
    row("cvt.f16x2.e4m3x2", &[E8], One(|l, _, a| l.halves_of_eights(W::FromE4m3, a))),
    row("cvt.f16x2.e5m2x2", &[E8], One(|l, _, a| l.halves_of_eights(W::FromE5m2, a))),
    row("cvt.bf16x2.ue8m0x2", &[E8], One(|l, _, a| l.halves_of_eights(W::FromE8m0, a))),
    row("cvt", &[Pred, U16, U32, U64, S16, S32, S64, F16, Bf16, F32, F64, Other], Own(|l, i| l.convert(i))),
    // Integers.
    row("add.sat", &[S32], Two(|l, _, a| l.saturating(W::Add, a))),
    row("sub.sat", &[S32], Two(|l, _, a| l.saturating(W::Sub, a))),
    row("vabsdiff2", &[U32], Three(|l, i, a| l.differences_of_two(i, W::USad, a))),
    row("vabsdiff2", &[S32], Three(|l, i, a| l.differences_of_two(i, W::ISad, a))),
    row("vabsdiff4", &[U32], Three(|l, i, a| l.differences_of_four(i, W::UAbsDiff4, a))),
    row("vabsdiff4", &[S32], Three(|l, i, a| l.differences_of_four(i, W::IAbsDiff4, a))),
    // No other operations on these end at the limits of their type.
    row(".sat", &[U16, U32, U64, S16, S32, S64, F64], Refused),
    row("mul.wide", WORDS, Own(|l, i| l.widening(i))),
    row("mad.wide", WORDS, Own(|l, i| l.widening(i))),
    row(".wide", ANY, Refused),
    row("add", &[U16, U32, S16, S32, U16x2, S16x2], Bin(B::IAdd)),
    row("add", LONG, Wide(W::Add)),
    row("sub", &[U16, U32, S16, S32, U16x2, S16x2], Bin(B::ISub)),
    row("sub", LONG, Wide(W::Sub)),
    row("mul.hi", &[U16], Two(|l, _, a| l.high_half(B::UShr, a))),
    row("mul.hi", &[S16], Two(|l, _, a| l.high_half(B::IShr, a))),
    row("mul.hi", &[U32], Bin(B::UMulHigh)),
    row("mul.hi", &[S32], Bin(B::IMulHigh)),
    row("mul.hi", &[U64], Wide(W::UMulHigh)),
    row("mul.hi", &[S64], Wide(W::IMulHigh)),
    row("mul.lo", WORDS, Bin(B::IMul)),
    row("mul.lo", LONG, Wide(W::Mul)),
    row("mul24.lo", B32, Two(|l, i, a| l.product_of_24(i, a))),
    row("mad.hi", &[U32], BinAdd(B::UMulHigh)),
    row("mad.hi", &[S32], BinAdd(B::IMulHigh)),
    row("mad.lo", WORDS, BinAdd(B::IMul)),
    row("mad.lo", LONG, Own(|l, i| l.mad_long(i))),
    row("mad24.lo", B32, Three(|l, i, a| l.product_of_24_and_sum(i, a))),
    row("div", UNSIGNED, Bin(B::UDiv)),
    row("div", SIGNED, Bin(B::IDiv)),
    row("div", &[U64], Wide(W::UDiv)),
    row("div", &[S64], Wide(W::IDiv)),
    row("rem", UNSIGNED, Bin(B::URem)),
    row("rem", SIGNED, Bin(B::IRem)),
    row("rem", &[U64], Wide(W::URem)),
    row("rem", &[S64], Wide(W::IRem)),
    row("min", &[U16, U32, U16x2], Bin(B::UMin)),
    row("min", &[S16, S32, S16x2], Bin(B::IMin)),
    row("min", &[U64], Wide(W::UMin)),
    row("min", &[S64], Wide(W::IMin)),
    row("max", &[U16, U32, U16x2], Bin(B::UMax)),
    row("max", &[S16, S32, S16x2], Bin(B::IMax)),
    row("max", &[U64], Wide(W::UMax)),
    row("max", &[S64], Wide(W::IMax)),
    row("neg", WORDS, Un(U::INeg)),
    row("neg", LONG, Wide(W::Neg)),
    row("abs", WORDS, Un(U::IAbs)),
    row("abs", LONG, Wide(W::IAbs)),
    row("sad", &[U32], Wide(W::USad)),
    row("sad", &[S32], Wide(W::ISad)),
    // Products of bytes: the first type is that of the first operand, the last that of the second.
    row("dp4a.u32", &[S32], Three(|l, _, a| l.dot4(W::UIDot4, a))),
    row("dp4a.s32", &[U32], Three(|l, _, a| l.dot4(W::IUDot4, a))),
    row("dp4a", &[U32], Three(|l, _, a| l.dot4(W::UDot4, a))),
    row("dp4a", &[S32], Three(|l, _, a| l.dot4(W::IDot4, a))),
    row("dp2a.u32", &[S32], Three(|l, i, a| l.dot2(i, W::UIDot2, a))),
    row("dp2a.s32", &[U32], Three(|l, i, a| l.dot2(i, W::IUDot2, a))),
    row("dp2a", &[U32], Three(|l, i, a| l.dot2(i, W::UDot2, a))),
    row("dp2a", &[S32], Three(|l, i, a| l.dot2(i, W::IDot2, a))),
    // Floats. Those that round in a direction are in `directed.rs`.
    // Sums of a float and a half.
    row("add.f32", HALVES, Refused),
    row("sub.f32", HALVES, Refused),
    row("fma.f32", HALVES, Refused),
    row("add", &[F32], Bin(B::FAdd)),
    row("add", EXACT, Wide(W::FAdd)),
    row("sub", &[F32], Bin(B::FSub)),
    row("sub", EXACT, Wide(W::FSub)),
    row("mul", &[F32], Bin(B::FMul)),
    row("mul", EXACT, Wide(W::FMul)),
    row("fma", &[F32], Tri(T::Fma)),
    row("fma", EXACT, Wide(W::Fma)),
    row("mad", &[F32], Tri(T::Fma)),
    row("mad", &[F64], Wide(W::Fma)),
    row("div", &[F32], Bin(B::FDiv)),
    row("div", &[F64], Wide(W::FDiv)),
    row(".xorsign", ANY, Refused),
    row("min.NaN", HALVES, Refused),
    row("max.NaN", HALVES, Refused),
    row("min.NaN", &[F32], Bin(B::FMinNan)),
    row("min", &[F32], Bin(B::FMin)),
    row("min", EXACT, Wide(W::FMin)),
    row("max.NaN", &[F32], Bin(B::FMaxNan)),
    row("max", &[F32], Bin(B::FMax)),
    row("max", EXACT, Wide(W::FMax)),
    row("neg", HALVES, One(|l, _, [a]| l.with_constant(B::Xor, a, 0x8000))),
    row("neg", &[F32], Un(U::FNeg)),
    row("neg", &[F64], Wide(W::FNeg)),
    row("abs", HALVES, One(|l, _, [a]| l.with_constant(B::And, a, 0x7FFF))),
    row("abs", &[F32], Un(U::FAbs)),
    row("abs", &[F64], Wide(W::FAbs)),
    row("rcp", &[F32], One(|l, _, a| l.reciprocal(a))),
    row("rcp", &[F64], LongOne(|l, a| l.reciprocal_wide(a))),
    row("sqrt", &[F32], Un(U::Sqrt)),
    row("sqrt", &[F64], Wide(W::Sqrt)),
    row("rsqrt", &[F32], Un(U::InverseSqrt)),
    row("rsqrt", &[F64], LongOne(|l, a| l.reciprocal_root(a))),
    row("ex2", &[F16, Bf16, F32], Un(U::Exp2)),
    row("lg2", &[F32], Un(U::Log2)),
    row("sin", &[F32], Un(U::Sin)),
    row("cos", &[F32], Un(U::Cos)),
    row("tanh", &[F16, Bf16, F32], Un(U::Tanh)),
    row("copysign", &[F32], Two(|l, _, a| l.with_sign(a))),
    row("copysign", &[F64], LongTwo(|l, a| l.with_sign_wide(a))),
    row("testp.notanumber", &[F32], Un(U::IsNan)),
    row("testp.notanumber", &[F64], Wide(W::IsNan)),
    row("testp.infinite", &[F32], Un(U::IsInf)),
    row("testp.number", &[F32], One(|l, _, a| l.is_number(a))),
    row("testp.finite", &[F32], One(|l, _, a| l.is_finite(a))),
    // Bits.
    row("and", &[Pred, U16, U32, S16, S32], Bin(B::And)),
    row("and", LONG, Wide(W::And)),
    row("or", &[Pred, U16, U32, S16, S32], Bin(B::Or)),
    row("or", LONG, Wide(W::Or)),
    row("xor", &[Pred, U16, U32, S16, S32], Bin(B::Xor)),
    row("xor", LONG, Wide(W::Xor)),
    row("not", &[Pred], Un(U::Not)),
    row("not", WORDS, Un(U::BitNot)),
    row("not", LONG, Wide(W::Not)),
    row("cnot", WORDS, One(|l, _, [a]| l.with_constant(B::IEq, a, 0))),
    row("shl", WORDS, Two(|l, _, a| l.shifted(B::Shl, a))),
    row("shl", LONG, Wide(W::Shl)),
    row("shr", UNSIGNED, Two(|l, _, a| l.shifted(B::UShr, a))),
    row("shr", &[S16], Two(|l, _, a| l.shifted_signed(16, a))),
    row("shr", &[S32], Two(|l, _, a| l.shifted_signed(32, a))),
    row("shr", &[U64], Wide(W::UShr)),
    row("shr", &[S64], Wide(W::IShr)),
    row("shf.l.clamp", B32, Three(|l, _, a| l.funnel_clamped(T::FunnelLeft, a))),
    row("shf.clamp", B32, Three(|l, _, a| l.funnel_clamped(T::FunnelRight, a))),
    row("shf.l", B32, Tri(T::FunnelLeft)),
    row("shf", B32, Tri(T::FunnelRight)),
    row("lop3", B32, Own(|l, i| l.lookup(i))),
    row("prmt.f4e", ANY, Refused),
    row("prmt.b4e", ANY, Refused),
    row("prmt.rc8", ANY, Refused),
    row("prmt.ecl", ANY, Refused),
    row("prmt.ecr", ANY, Refused),
    row("prmt.rc16", ANY, Refused),
    row("prmt", B32, Tri(T::Permute)),
    row("popc", B32, Un(U::CountOneBits)),
    row("popc", LONG, Wide(W::CountOneBits)),
    row("clz", B32, Un(U::CountLeadingZeros)),
    row("clz", LONG, Wide(W::CountLeadingZeros)),
    row("brev", B32, Un(U::ReverseBits)),
    row("brev", LONG, Wide(W::ReverseBits)),
    row("bfind.shiftamt", &[U32], One(|l, _, a| l.leading_distance(a))),
    row("bfind.shiftamt", ANY, Refused),
    row("bfind", &[U32], Un(U::UFirstLeadingBit)),
    row("bfind", &[S32], Un(U::IFirstLeadingBit)),
    row("bfe", &[U32], Tri(T::UField)),
    row("bfe", &[S32], Tri(T::IField)),
    row("bfe", &[U64], Wide(W::UField)),
    row("bfe", &[S64], Wide(W::IField)),
    row("bfi", B32, Four(|l, _, a| l.inserted(a))),
    row("bfi", LONG, Own(|l, i| l.inserted_wide(i))),
    row("bmsk", B32, Two(|l, i, a| l.bit_mask(i, a))),
    row("szext", &[U32], Two(|l, i, a| l.extended_from(i, T::UField, a))),
    row("szext", &[S32], Two(|l, i, a| l.extended_from(i, T::IField, a))),
    row("fns", B32, Wide(W::FindNthSet)),
    // Comparisons, by a table of their own in `compare.rs`, and selection.
    row("setp", ANY, Own(|l, i| l.compare(i))),
    row("set", ANY, Own(|l, i| l.compare(i))),
    row("selp", ANY, Own(|l, i| l.select(i))),
    // Of values of 64 bits: the type of the sign is the last one.
    row("slct.b64", ANY, Refused),
    row("slct.u64", ANY, Refused),
    row("slct.s64", ANY, Refused),
    row("slct.f64", ANY, Refused),
    row("slct", &[F32], Three(|l, _, a| l.select_by_sign(B::FLe, a))),
    row("slct", &[S32], Three(|l, _, a| l.select_by_sign(B::ILe, a))),
    // Between lanes and warps.
    row("activemask", ANY, Own(|l, i| l.active_mask(i))),
    row("vote", ANY, Own(|l, i| l.vote(i))),
    row("redux", ANY, Own(|l, i| l.reduce(i))),
    row("shfl", ANY, Own(|l, i| l.shuffle(i))),
    row("match", ANY, Own(|l, i| l.matches(i))),
    row("elect", ANY, Own(|l, i| l.elect(i))),
    row("bar", ANY, Own(|l, i| l.barrier(i))),
    row("barrier", ANY, Own(|l, i| l.barrier(i))),
    row("membar", ANY, Own(|l, i| l.fence(i))),
    row("fence", ANY, Own(|l, i| l.fence(i))),
    row("mbarrier", ANY, Own(|l, i| l.mbarrier(i))),
    // Matrices and copies.
    row("mma", ANY, Own(|l, i| l.mma(i))),
    row("wmma.mma", ANY, Own(|l, i| l.mma(i))),
    row("wmma", ANY, Own(|l, i| l.wmma(i))),
    row("ldmatrix.m8n8.b16", ANY, Own(|l, i| l.load_matrices(i))),
    row("stmatrix.m8n8.b16", ANY, Own(|l, i| l.store_matrices(i))),
    row("movmatrix.m8n8.trans", ANY, Own(|l, i| l.transpose(i))),
    row("wgmma", ANY, Own(|l, i| l.wgmma(i))),
    row("cp.bulk", ANY, Own(|l, i| l.bulk(i))),
    row("cp", ANY, Own(|l, i| l.asynchronous(i))),
    // The kernel speaks, or ends.
    row("printf", ANY, Own(|l, i| l.outcry(i))),
    row("assert", ANY, Own(|l, i| l.outcry(i))),
    row("trap", ANY, Own(|l, i| l.outcry(i))),
    // Caches are not modelled, nor time, nor how many registers there are, nor debuggers and profilers.
    row("createpolicy", ANY, Own(|l, i| l.policy(i))),
    row("prefetch", ANY, Nothing),
    row("prefetchu", ANY, Nothing),
    row("nanosleep", ANY, Nothing),
    row("discard", ANY, Nothing),
    row("applypriority", ANY, Nothing),
    row("setmaxnreg", ANY, Nothing),
    row("brkpt", ANY, Nothing),
    row("pmevent", ANY, Nothing),
];
