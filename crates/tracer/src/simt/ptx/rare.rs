//! Operations that few kernels use: questions about addresses and lanes, fences and policies of caches.

use warpbook_base::diag::Diagnostic;

use super::super::collective::{Fence, What};
use super::super::ops::{Binary, Ternary};
use super::super::subgroup::Subgroup;
use super::lower::Lower;
use super::module::{Instruction, Operand, Ty};

impl Lower<'_> {
    /// `createpolicy`: caches are not modelled, so that all policies are alike.
    pub(super) fn policy(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let zero = self.b.constant(0);
        i.operands.first().map_or(Ok(()), |dst| self.write(dst, [zero; 2]))
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
}
