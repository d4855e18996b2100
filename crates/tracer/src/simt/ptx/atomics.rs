//! Atomics: `atom` and `red`, on words, halves, vectors and 64 bits.

use warpbook_base::diag::Diagnostic;

use super::super::ir::{AtomicOp, Inst, Joined, Mem, Place, Reg, Width};
use super::lower::Lower;
use super::memory::Parts;
use super::module::{Instruction, Operand, Ty};
use super::table::Kind::{self, Bf16, F16, F32, F64, S16, S32, S64, U16, U32, U64};
use super::table::by_suffix;

const INTEGERS: &[Kind] = &[U16, U32, U64, S16, S32, S64];
const BITS: &[Kind] = &[U16, U32, U64, S16, S32, S64, F16, Bf16, F32, F64];

/// The atomics of PTX: by name and type, the operation.
const ATOMICS: &[(&str, &[Kind], AtomicOp)] = &[
    ("add", INTEGERS, AtomicOp::Add),
    ("add", &[F16], AtomicOp::HalfAdd),
    ("add", &[Bf16], AtomicOp::BfloatAdd),
    ("add", &[F32, F64], AtomicOp::FAdd),
    ("and", INTEGERS, AtomicOp::And),
    ("or", INTEGERS, AtomicOp::Or),
    ("xor", INTEGERS, AtomicOp::Xor),
    ("min", &[U16, U32, U64], AtomicOp::UMin),
    ("min", &[S16, S32, S64], AtomicOp::IMin),
    ("max", &[U16, U32, U64], AtomicOp::UMax),
    ("max", &[S16, S32, S64], AtomicOp::IMax),
    ("inc", &[U32, S32], AtomicOp::Inc),
    ("dec", &[U32, S32], AtomicOp::Dec),
    ("exch", BITS, AtomicOp::Exchange),
    ("cas", BITS, AtomicOp::CompareExchange),
];

impl Lower<'_> {
    /// `atom` and `red`.
    pub(super) fn atomic(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let returns = i.words[0] == "atom";
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        let (dst, rest) = match (returns, i.operands.as_slice()) {
            (true, [dst, rest @ ..]) => (Some(dst), rest),
            (_, rest) => (None, rest),
        };
        let op = by_suffix(ATOMICS, i).ok_or_else(|| self.unsupported(i))?;
        let (address, value, compare) = match (op, rest) {
            (AtomicOp::CompareExchange, [address, compare, value]) => (address, value, Some(compare)),
            (_, [address, value]) => (address, value, None),
            _ => return Err(self.unsupported(i)),
        };
        let wanted = dst.filter(|dst| match dst {
            Operand::Reg(reg) => self.is_read(*reg),
            dst => **dst != Operand::Nothing,
        });
        let is_vector = ["v2", "v4", "v8"].iter().any(|vector| i.has(vector));
        if is_vector != matches!(value, Operand::Parts(_)) {
            return Err(self.unsupported(i));
        }
        if let Operand::Parts(values) = value {
            return self.atomic_vector(i, op, address, values, wanted);
        }
        if ty.is_wide() {
            return self.atomic_wide(i, op, address, [Some(value), compare], wanted);
        }
        let zero = self.b.constant(0);
        let value = self.word(value, ty)?;
        let compare = compare.map(|compare| self.word(compare, ty)).transpose()?.unwrap_or(zero);
        let width = if ty.bits() == 16 { Width::Short } else { Width::Word };
        let parts = Parts { width, components: 1, words: 1 };
        let result = self.b.var(None, zero);
        self.in_each(address, &mut |me, root| {
            let counts = op == AtomicOp::Add && wanted.is_none() && me.b.const_value(value) == Some(1);
            let place = me.place(i, address, parts, root)?;
            let joined = match op {
                AtomicOp::Add
                | AtomicOp::And
                | AtomicOp::Or
                | AtomicOp::Xor
                | AtomicOp::IMin
                | AtomicOp::IMax
                | AtomicOp::UMin
                | AtomicOp::UMax => match counts && place.mem == Mem::Shared {
                    true => Joined::Counting,
                    false => Joined::Uniform,
                },
                _ => Joined::Never,
            };
            let place = Place { atomic: true, joined, ..place };
            if place.mem == Mem::Local {
                return Err(me.unsupported(i));
            }
            let id = me.b.add_place(place);
            let old = wanted.map(|_| me.b.temp());
            if old.is_some() && leaves(op, me.b.const_value(value)) {
                me.polls.push(id);
            }
            me.b.push(Inst::Atomic { op, place: id, value, compare, old, done: None });
            if let Some(old) = old {
                me.b.write(result, old);
            }
            Ok(())
        })?;
        match wanted {
            Some(dst) => {
                let value = self.b.read(result);
                self.write_word(dst, value)
            }
            None => Ok(()),
        }
    }

    /// On 64 bits.
    fn atomic_wide(
        &mut self,
        i: &Instruction,
        op: AtomicOp,
        address: &Operand,
        operands: [Option<&Operand>; 2],
        wanted: Option<&Operand>,
    ) -> Result<(), Diagnostic> {
        let zero = self.b.constant(0);
        let mut pair = |operand: Option<&Operand>| operand.map_or(Ok([zero; 2]), |operand| self.pair(operand));
        let [value, compare] = [pair(operands[0])?, pair(operands[1])?];
        let operands = [value[0], value[1], compare[0], compare[1]];
        let leaves = value.iter().all(|word| leaves(op, self.b.const_value(*word)));
        let parts = Parts { width: Width::Word, components: 2, words: 2 };
        let result = self.atomic_words(i, op, address, (parts, operands), (wanted.is_some(), leaves))?;
        match wanted {
            Some(dst) => self.write(dst, [result[0], result[1]]),
            None => Ok(()),
        }
    }

    /// On each component of a vector, in one access.
    fn atomic_vector(
        &mut self,
        i: &Instruction,
        op: AtomicOp,
        address: &Operand,
        values: &[Operand],
        wanted: Option<&Operand>,
    ) -> Result<(), Diagnostic> {
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        let components = ["v2", "v4"].iter().position(|vector| i.has(vector)).map(|at| 2 << at);
        if components != Some(values.len()) || !matches!(ty, Ty::Float(32) | Ty::F16x2 | Ty::Bf16x2) {
            return Err(self.unsupported(i));
        }
        let mut operands = [self.b.constant(0); 4];
        for (operand, value) in operands.iter_mut().zip(values) {
            *operand = self.word(value, ty)?;
        }
        let parts = Parts { width: Width::Word, components: if values.len() == 2 { 2 } else { 4 }, words: 1 };
        let result = self.atomic_words(i, op, address, (parts, operands), (wanted.is_some(), false))?;
        match wanted {
            Some(Operand::Parts(all)) if all.len() == values.len() => {
                all.iter().zip(result).try_for_each(|(dst, value)| self.write_word(dst, value))
            }
            Some(_) => Err(self.unsupported(i)),
            None => Ok(()),
        }
    }

    /// An atomic on several words, in each memory that the address may lead into. Returns the words before it if they are wanted
    /// (`wants`). `leaves`: it does not change memory, so a loop around it is polling.
    fn atomic_words(
        &mut self,
        i: &Instruction,
        op: AtomicOp,
        address: &Operand,
        (parts, operands): (Parts, [Reg; 4]),
        (wants, leaves): (bool, bool),
    ) -> Result<[Reg; 4], Diagnostic> {
        let zero = self.b.constant(0);
        let result: [Reg; 4] = std::array::from_fn(|_| self.b.var(None, zero));
        self.in_each(address, &mut |me, root| {
            let place = me.place(i, address, parts, root)?;
            let vector = if parts.words == 1 { place.vector } else { 0 };
            let place = Place { atomic: true, vector, ..place };
            if place.mem == Mem::Local {
                return Err(me.unsupported(i));
            }
            let id = me.b.add_place(place);
            let old = wants.then(|| std::array::from_fn(|_| me.b.temp()));
            if wants && leaves {
                me.polls.push(id);
            }
            me.b.push(Inst::AtomicWords { op, place: id, operands, old });
            if let Some(old) = old {
                result.iter().zip(old).for_each(|(result, old)| me.b.write(*result, old));
            }
            Ok(())
        })?;
        Ok(result.map(|var| if wants { self.b.read(var) } else { zero }))
    }
}

/// Whether an atomic with this operand leaves the word as it is: it is a load then.
fn leaves(op: AtomicOp, operand: Option<u32>) -> bool {
    match op {
        AtomicOp::Add | AtomicOp::Or | AtomicOp::Xor | AtomicOp::UMax => operand == Some(0),
        AtomicOp::And | AtomicOp::UMin => operand == Some(u32::MAX),
        _ => false,
    }
}
