//! Atomics: `atom` and `red`, on words, halves and 64 bits.

use warpbook_base::diag::Diagnostic;

use super::super::ir::{AtomicOp, Inst, Joined, Mem, Place, Reg, Width};
use super::lower::Lower;
use super::memory::Parts;
use super::module::{Instruction, Operand, Ty};

impl Lower<'_> {
    /// `atom` and `red`.
    pub(super) fn atomic(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let returns = i.words[0] == "atom";
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        let (dst, rest) = match (returns, i.operands.as_slice()) {
            (true, [dst, rest @ ..]) => (Some(dst), rest),
            (_, rest) => (None, rest),
        };
        let op = self.atomic_op(i, ty)?;
        let (address, value, compare) = match (op, rest) {
            (AtomicOp::CompareExchange, [address, compare, value]) => (address, value, Some(compare)),
            (_, [address, value]) => (address, value, None),
            _ => return Err(self.unsupported(i)),
        };
        let wanted = dst.filter(|dst| match dst {
            Operand::Reg(reg) => self.is_read(*reg),
            dst => **dst != Operand::Nothing,
        });
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
        let parts = Parts { width: Width::Word, components: 2, words: 2 };
        let result: [Reg; 2] = [self.b.var(None, zero), self.b.var(None, zero)];
        self.in_each(address, &mut |me, root| {
            let place = Place { atomic: true, vector: 0, ..me.place(i, address, parts, root)? };
            if place.mem == Mem::Local {
                return Err(me.unsupported(i));
            }
            let id = me.b.add_place(place);
            let old = wanted.map(|_| [me.b.temp(), me.b.temp()]);
            if old.is_some() && value.iter().all(|word| leaves(op, me.b.const_value(*word))) {
                me.polls.push(id);
            }
            me.b.push(Inst::AtomicWide { op, place: id, value, compare, old });
            if let Some(old) = old {
                result.iter().zip(old).for_each(|(result, old)| me.b.write(*result, old));
            }
            Ok(())
        })?;
        match wanted {
            Some(dst) => {
                let value = result.map(|result| self.b.read(result));
                self.write(dst, value)
            }
            None => Ok(()),
        }
    }

    fn atomic_op(&self, i: &Instruction, ty: Ty) -> Result<AtomicOp, Diagnostic> {
        let signed = ty.is_signed();
        let op = i.words[1..].iter().find_map(|word| {
            Some(match (word.as_str(), ty) {
                ("add", Ty::Float(16) | Ty::F16x2) => AtomicOp::HalfAdd,
                ("add", Ty::Bf16 | Ty::Bf16x2) => AtomicOp::BfloatAdd,
                ("add", Ty::Float(_)) => AtomicOp::FAdd,
                ("exch", _) => AtomicOp::Exchange,
                ("cas", _) => AtomicOp::CompareExchange,
                (_, Ty::Float(_) | Ty::F16x2 | Ty::Bf16 | Ty::Bf16x2) => return None,
                ("add", _) => AtomicOp::Add,
                ("and", _) => AtomicOp::And,
                ("or", _) => AtomicOp::Or,
                ("xor", _) => AtomicOp::Xor,
                ("min", _) if signed => AtomicOp::IMin,
                ("min", _) => AtomicOp::UMin,
                ("max", _) if signed => AtomicOp::IMax,
                ("max", _) => AtomicOp::UMax,
                ("inc", _) if ty.bits() == 32 => AtomicOp::Inc,
                ("dec", _) if ty.bits() == 32 => AtomicOp::Dec,
                _ => return None,
            })
        });
        let one = !["v2", "v4", "v8"].iter().any(|vector| i.has(vector));
        op.filter(|_| one && matches!(ty.bits(), 16 | 32 | 64)).ok_or_else(|| self.unsupported(i))
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
