//! Exchanges between the lanes of a warp, and barriers.

use warpbook_base::diag::Diagnostic;

use super::super::collective::{Collective, Members, What};
use super::super::ir::{Absent, Builtin, Inst, Orders, Reg, Votes};
use super::super::ops::{Binary, Ternary};
use super::super::subgroup::{Shuffle, Subgroup};
use super::lower::Lower;
use super::module::{Instruction, Operand, Part, Ty};
use super::registers::uses;
use super::table::Kind::{self, S32, U32};
use super::table::by_suffix;

/// The reductions of `redux`: by name and type, the operation.
const REDUCTIONS: &[(&str, &[Kind], Binary)] = &[
    ("add", &[U32, S32], Binary::IAdd),
    ("and", &[U32, S32], Binary::And),
    ("or", &[U32, S32], Binary::Or),
    ("xor", &[U32, S32], Binary::Xor),
    ("min", &[U32], Binary::UMin),
    ("min", &[S32], Binary::IMin),
    ("max", &[U32], Binary::UMax),
    ("max", &[S32], Binary::IMax),
];

impl Lower<'_> {
    pub(super) fn barrier(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        if i.is_of_warp() {
            // It orders the memory of lanes that run together here, and counts as no instruction.
            let members = i.operands.last().ok_or_else(|| self.unsupported(i))?;
            let members = self.word(members, Ty::Bits(32))?;
            self.uncounted(What::Lanes, vec![members]);
            return Ok(());
        }
        if i.has("red") {
            return self.barrier_vote(i);
        }
        let whole = matches!(i.operands.as_slice(), [] | [Operand::Whole(0)])
            || matches!(i.operands.as_slice(), [Operand::Whole(0), Operand::Whole(count)] if *count == self.threads());
        if !i.has("sync") || !whole {
            return self.named_barrier(i);
        }
        self.b.push(Inst::Barrier(Orders { shared: true, storage: true, absent: self.leaving.absent(i.at) }));
        Ok(())
    }

    /// Pushes an operation that counts as no instruction.
    pub(super) fn uncounted(&mut self, what: What, a: Vec<Reg>) {
        self.b.uncounted = true;
        self.b.collective(Collective::on(what, [a, Vec::new(), Vec::new(), Vec::new()]));
        self.b.uncounted = false;
    }

    /// Checks the mask of an operation that has one: its last operand.
    pub(super) fn members(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let (Some(name), Some(members)) = (i.with_members(), i.operands.last()) else { return Ok(()) };
        let members = self.word(members, Ty::Bits(32))?;
        let left = self.leaving.absent(i.at) == Absent::Left;
        self.uncounted(What::Members(Members { name, left, in_both_arms: false, line: i.line }), vec![members]);
        Ok(())
    }

    /// A barrier with a number, for some warps.
    fn named_barrier(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let (number, count) = match i.operands.as_slice() {
            [number] => (number, &Operand::Whole(self.threads())),
            [number, count] => (number, count),
            _ => return Err(self.unsupported(i)),
        };
        let waits = i.has("sync");
        if i.has("cluster") || !waits && !i.has("arrive") {
            return Err(self.unsupported(i));
        }
        let (number, count) = (self.word(number, Ty::Unsigned(32))?, self.word(count, Ty::Unsigned(32))?);
        let a = [vec![number], vec![count], Vec::new(), Vec::new()];
        self.b.collective(Collective::on(What::NamedBarrier { waits }, a));
        Ok(())
    }

    /// `bar.red`: a barrier that counts or combines predicates.
    fn barrier_vote(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let how = i.words[1..].iter().find_map(|word| match word.as_str() {
            "popc" => Some(Votes::Count),
            "and" => Some(Votes::All),
            "or" => Some(Votes::Any),
            _ => None,
        });
        let (Some(how), [dst, Operand::Whole(0), .., pred]) = (how, i.operands.as_slice()) else {
            return Err(self.unsupported(i));
        };
        let a = self.word(pred, Ty::Pred)?;
        let result = self.b.temp();
        self.b.push(Inst::Vote { how, absent: self.leaving.absent(i.at), a, dst: result });
        self.write_word(dst, result)
    }

    pub(super) fn threads(&self) -> u64 {
        self.ptx.block.iter().map(|n| u64::from(*n)).product::<u64>().next_multiple_of(32)
    }

    /// `activemask`.
    pub(super) fn active_mask(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let (zero, one) = (self.b.constant(0), self.b.constant(1));
        let value = self.subgroup(Subgroup::Ballot, one, zero);
        self.write_word(dst, value)
    }

    /// `vote`.
    pub(super) fn vote(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, pred, rest @ ..] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        if let [members] = rest
            && !self.are_all(members)?
        {
            return self.vote_within(i, dst, pred, members);
        }
        let (value, zero) = (self.word(pred, Ty::Pred)?, self.b.constant(0));
        let op = i.words[1..].iter().find_map(|word| match word.as_str() {
            "ballot" => Some(Subgroup::Ballot),
            "any" => Some(Subgroup::Reduce(Binary::Or)),
            "all" => Some(Subgroup::Reduce(Binary::And)),
            _ => None,
        });
        let value = self.subgroup(op.ok_or_else(|| self.unsupported(i))?, value, zero);
        self.write_word(dst, value)
    }

    /// A vote of some lanes: others may vote at the same time, with a mask of their own.
    fn vote_within(
        &mut self,
        i: &Instruction,
        dst: &Operand,
        pred: &Operand,
        members: &Operand,
    ) -> Result<(), Diagnostic> {
        let (zero, one) = (self.b.constant(0), self.b.constant(1));
        let (value, members) = (self.word(pred, Ty::Pred)?, self.word(members, Ty::Bits(32))?);
        let votes = self.subgroup(Subgroup::Ballot, value, zero);
        let votes = self.b.bin(Binary::And, votes, members);
        if i.has("ballot") {
            return self.write_word(dst, votes);
        }
        let wanted = match i.has("all") {
            true => self.subgroup(Subgroup::Ballot, one, zero),
            false if i.has("any") => zero,
            false => return Err(self.unsupported(i)),
        };
        let wanted = self.b.bin(Binary::And, wanted, members);
        let op = if i.has("all") { Binary::IEq } else { Binary::INe };
        let value = self.b.bin(op, votes, wanted);
        self.write_word(dst, value)
    }

    /// `redux`.
    pub(super) fn reduce(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, src, members] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let op = by_suffix(REDUCTIONS, i).ok_or_else(|| self.unsupported(i))?;
        let value = self.word(src, Ty::Bits(32))?;
        let value = if self.are_all(members)? {
            let zero = self.b.constant(0);
            self.subgroup(Subgroup::Reduce(op), value, zero)
        } else {
            let members = self.word(members, Ty::Bits(32))?;
            self.subgroup(Subgroup::ReduceWithin(op), value, members)
        };
        self.write_word(dst, value)
    }

    /// `shfl`.
    pub(super) fn shuffle(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, src, by, clamp, ..] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let how = i.words[1..].iter().find_map(|word| match word.as_str() {
            "up" => Some(Shuffle::Up),
            "down" => Some(Shuffle::Down),
            "bfly" => Some(Shuffle::Xor),
            "idx" => Some(Shuffle::Index),
            _ => None,
        });
        let how = how.ok_or_else(|| self.unsupported(i))?;
        let (value, by) = (self.word(src, Ty::Bits(32))?, self.word(by, Ty::Bits(32))?);
        let (how, clamp, by, inside) = match self.constant_of(clamp)? {
            Some(clamp) => (how, self.checked_clamp(clamp)?, by, None),
            None => {
                let clamp = self.word(clamp, Ty::Bits(32))?;
                let (from, inside) = self.source_of(how, by, clamp);
                (Shuffle::Index, 31, from, Some(inside))
            }
        };
        let (dst, there) = match dst {
            Operand::Two(dst, there) => (Operand::Reg(*dst), self.is_read(*there).then_some(Operand::Reg(*there))),
            dst => (dst.clone(), None),
        };
        let got = self.subgroup(Subgroup::Clamped { how, clamp }, value, by);
        self.write_word(&dst, got)?;
        if let Some(there) = there {
            let value = inside.unwrap_or_else(|| self.subgroup(Subgroup::InClamp { how, clamp }, value, by));
            self.write_word(&there, value)?;
        }
        Ok(())
    }

    /// A shuffle's clamp: the lanes that exchange are a power of two.
    fn checked_clamp(&self, clamp: u32) -> Result<u16, Diagnostic> {
        let segments = clamp >> 8 & 0x1F;
        let width = 32 - segments;
        if !width.is_power_of_two() {
            let error = self.error(format!("a shuffle among {width} lanes: its width is not a power of two"));
            return Err(error.hint("give a width of 2, 4, 8, 16 or 32"));
        }
        Ok((clamp & 0x1F1F) as u16)
    }

    /// The lane that a shuffle reads from where its clamp is known only when it runs, and whether it is within the clamp (PTX ISA 9.0,
    /// section 9.7.9.6, "shfl.sync").
    fn source_of(&mut self, how: Shuffle, by: Reg, clamp: Reg) -> (Reg, Reg) {
        let (ones, eight) = (self.b.constant(31), self.b.constant(8));
        let lane = self.b.builtin(Builtin::Lane);
        let by = self.b.bin(Binary::And, by, ones);
        let segments = self.b.bin(Binary::UShr, clamp, eight);
        let segments = self.b.bin(Binary::And, segments, ones);
        let others = self.b.bin(Binary::Xor, segments, ones);
        let first = self.b.bin(Binary::And, lane, segments);
        let end = self.b.bin(Binary::And, clamp, others);
        let last = self.b.bin(Binary::Or, first, end);
        let (from, inside) = match how {
            Shuffle::Up => {
                let from = self.b.bin(Binary::ISub, lane, by);
                (from, self.b.bin(Binary::ILe, last, from))
            }
            _ => {
                let from = match how {
                    Shuffle::Down => self.b.bin(Binary::IAdd, lane, by),
                    Shuffle::Xor => self.b.bin(Binary::Xor, lane, by),
                    _ => {
                        let within = self.b.bin(Binary::And, by, others);
                        self.b.bin(Binary::Or, first, within)
                    }
                };
                (from, self.b.bin(Binary::ILe, from, last))
            }
        };
        (self.b.tri(Ternary::Select, inside, from, lane), inside)
    }

    /// The constant that an operand holds, also if several instructions write it; None if it is no constant.
    fn constant_of(&mut self, operand: &Operand) -> Result<Option<u32>, Diagnostic> {
        let value = self.word(operand, Ty::Bits(32))?;
        if let Some(value) = self.b.const_value(value) {
            return Ok(Some(value));
        }
        let Operand::Reg(reg) = operand else { return Ok(None) };
        let mut values = Vec::new();
        for part in &self.kernel.body {
            let Part::Instruction(i) = part else { continue };
            let mut writes = false;
            uses(i, |_| {}, |written| writes |= written == *reg);
            if writes {
                values.push(match (i.words[0].as_str(), i.guard, i.operands.as_slice()) {
                    ("mov", None, [_, Operand::Whole(value)]) => u32::try_from(*value).ok(),
                    _ => None,
                });
            }
        }
        let first = values.first().copied().flatten();
        Ok(first.filter(|first| values.iter().all(|value| *value == Some(*first))))
    }

    /// Whether a mask of lanes is known to name all of them.
    fn are_all(&mut self, members: &Operand) -> Result<bool, Diagnostic> {
        let members = self.word(members, Ty::Bits(32))?;
        Ok(self.b.const_value(members) == Some(u32::MAX))
    }

    /// An operation among lanes; of a ballot the first word.
    pub(super) fn subgroup(&mut self, op: Subgroup, a: Reg, index: Reg) -> Reg {
        let zero = self.b.constant(0);
        let mut dst = [zero; 4];
        dst.iter_mut().take(op.results()).for_each(|reg| *reg = self.b.temp());
        self.b.push(Inst::Subgroup { op, dst, a, index });
        dst[0]
    }
}
