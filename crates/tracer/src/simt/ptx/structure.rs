//! From blocks to structured control flow.

use warpbook_base::diag::Diagnostic;

use super::super::ir::{Inst, Reg};
use super::super::ops::{Binary, Unary};
use super::flow::{BlockId, End, Flow};
use super::lower::Lower;
use super::module::RegId;

/// Nesting depth of loops, scopes and conditionals.
const MAX_DEPTH: usize = 1 << 10;

/// A construct around the present block.
#[derive(Clone, Copy, PartialEq)]
enum Frame {
    /// A loop with this header.
    Loop(BlockId),
    /// A scope that this block follows.
    Scope(BlockId),
    /// A conditional.
    If,
}

impl<'a> Lower<'a> {
    /// Lowers the whole kernel.
    pub(super) fn structure(&mut self, flow: &Flow<'_>) -> Result<(), Diagnostic> {
        self.tree(flow, 0, &mut Vec::new())
    }

    /// A block, its loop if it is the header of one, and all that follow it.
    fn tree(&mut self, flow: &Flow<'_>, block: BlockId, around: &mut Vec<Frame>) -> Result<(), Diagnostic> {
        self.at = flow.blocks[block].at;
        self.room()?;
        let followers = &flow.followers[block];
        if around.len() + followers.len() > MAX_DEPTH {
            return Err(self.error("branches are nested too deeply to be traced"));
        }
        if !flow.is_header[block] {
            return self.within(flow, block, followers, around);
        }
        // The blocks that the loop is left to come after it.
        let inside = |b: &BlockId| flow.loops_of(*b).any(|header| header == block);
        let (inner, outer): (Vec<BlockId>, Vec<BlockId>) = followers.iter().copied().partition(inside);
        for follower in outer.iter().rev() {
            self.b.push(Inst::Scope);
            around.push(Frame::Scope(*follower));
        }
        let start = self.b.push(Inst::Loop) as usize;
        around.push(Frame::Loop(block));
        self.within(flow, block, &inner, around)?;
        self.b.push(Inst::Continuing);
        // The jump back was counted where it is. In a loop where nothing else counts for sure, it does: so that one without an end uses fuel.
        self.b.uncounted = self.counts_each_round(start);
        self.b.push(Inst::EndLoop);
        self.b.uncounted = false;
        around.pop();
        for follower in &outer {
            self.b.push(Inst::EndScope);
            around.pop();
            self.tree(flow, *follower, around)?;
        }
        Ok(())
    }

    /// Whether the loop that instruction `start` opens counts something in each of its rounds.
    fn counts_each_round(&self, start: usize) -> bool {
        let mut skipped = 0_u32;
        for (inst, line) in self.b.ir.insts[start..].iter().zip(&self.b.ir.lines[start..]) {
            let counts = inst.weight() > 0 && *line > 0;
            match inst {
                _ if counts && skipped == 0 => return true,
                // An instruction under a predicate may not be executed.
                Inst::If { .. } => skipped += 1,
                Inst::EndIf => skipped = skipped.saturating_sub(1),
                _ if skipped > 0 => {}
                Inst::Break { .. } | Inst::Continue { .. } | Inst::Return | Inst::Continuing => return false,
                _ => {}
            }
        }
        false
    }

    /// A block in the scopes that its followers come after.
    fn within(
        &mut self,
        flow: &Flow<'_>,
        block: BlockId,
        followers: &[BlockId],
        around: &mut Vec<Frame>,
    ) -> Result<(), Diagnostic> {
        for follower in followers.iter().rev() {
            self.b.push(Inst::Scope);
            around.push(Frame::Scope(*follower));
        }
        for number in self.leaving.behind(block) {
            self.b.push(Inst::GoesOn { number });
        }
        for instruction in &flow.blocks[block].body {
            self.instruction(instruction)?;
        }
        self.end(flow, block, around)?;
        for follower in followers {
            self.b.push(Inst::EndScope);
            around.pop();
            self.tree(flow, *follower, around)?;
        }
        Ok(())
    }

    fn end(&mut self, flow: &Flow<'_>, block: BlockId, around: &mut Vec<Frame>) -> Result<(), Diagnostic> {
        match &flow.blocks[block].end {
            End::Return => {
                self.b.push(Inst::Return);
            }
            End::Jump(to) => self.jump(flow, block, *to, around)?,
            End::Branch { then, other, .. } if then == other => self.jump(flow, block, *then, around)?,
            End::Branch { pred, when, then, other, line } => {
                self.b.at_line(*line);
                let cond = self.condition(*pred, *when);
                self.branch(flow, block, cond, [*then, *other], around)?;
            }
            End::Table { index, targets, line } => {
                self.b.at_line(*line);
                let index = self.read(*index)[0];
                self.b.push(Inst::Switch { case: index });
                let last = targets.len().saturating_sub(1);
                for (n, target) in targets.iter().enumerate() {
                    if n == last {
                        return self.jump(flow, block, *target, around);
                    }
                    let n = self.b.constant(u32::try_from(n).unwrap_or(u32::MAX));
                    self.b.uncounted = true;
                    let cond = self.b.bin(Binary::IEq, index, n);
                    self.b.uncounted = false;
                    self.b.push(Inst::If { cond, counted: false });
                    // The next case comes after this one, so it must be left in any case.
                    self.leave(flow, block, *target, around)?;
                    self.b.push(Inst::EndIf);
                }
            }
        }
        Ok(())
    }

    fn condition(&mut self, pred: RegId, when: bool) -> Reg {
        let cond = self.read(pred)[0];
        if when {
            return cond;
        }
        self.b.uncounted = true;
        let not = self.b.un(Unary::Not, cond);
        self.b.uncounted = false;
        not
    }

    fn branch(
        &mut self,
        flow: &Flow<'_>,
        block: BlockId,
        cond: Reg,
        [then, other]: [BlockId; 2],
        around: &mut Vec<Frame>,
    ) -> Result<(), Diagnostic> {
        self.b.push(Inst::If { cond, counted: true });
        around.push(Frame::If);
        self.jump(flow, block, then, around)?;
        // What comes at the end of all frames need not be left.
        if !self.falls(flow, block, other, around) {
            self.b.push(Inst::Else);
            self.jump(flow, block, other, around)?;
        }
        around.pop();
        self.b.push(Inst::EndIf);
        Ok(())
    }

    /// Whether going on leads to `to` in any case.
    fn falls(&self, flow: &Flow<'_>, from: BlockId, to: BlockId, around: &[Frame]) -> bool {
        match around.iter().rev().find(|frame| **frame != Frame::If) {
            Some(Frame::Loop(header)) => to == *header && to <= from,
            Some(Frame::Scope(follower)) => to == *follower && to > from && flow.follows[to],
            _ => false,
        }
    }

    /// Goes from one block to another.
    fn jump(&mut self, flow: &Flow<'_>, from: BlockId, to: BlockId, around: &mut Vec<Frame>) -> Result<(), Diagnostic> {
        if self.falls(flow, from, to, around) {
            return Ok(());
        }
        if to > from && !flow.follows[to] {
            return self.tree(flow, to, around);
        }
        self.leave(flow, from, to, around)
    }

    /// Leaves the constructs around the present block for another block.
    fn leave(&mut self, flow: &Flow<'_>, from: BlockId, to: BlockId, around: &[Frame]) -> Result<(), Diagnostic> {
        let missing = |me: &Self| me.error("this branch cannot be traced: its target lies in no construct around it");
        if to <= from {
            let mut loops = around.iter().rev().filter(|frame| matches!(frame, Frame::Loop(_)));
            let inside = loops.position(|frame| *frame == Frame::Loop(to)).ok_or_else(|| missing(self))?;
            self.b.push(Inst::Continue { inside: u32::try_from(inside).unwrap_or(0) });
        } else {
            debug_assert!(flow.follows[to]);
            let mut left = around.iter().rev().filter(|frame| **frame != Frame::If);
            let inside = left.position(|frame| *frame == Frame::Scope(to)).ok_or_else(|| missing(self))?;
            self.b.push(Inst::Break { inside: u32::try_from(inside).unwrap_or(0) });
        }
        Ok(())
    }
}
