//! Control flow: plain jumps where all lanes agree, masks where they may not.

use super::super::classes::Class;
use super::super::code::Op;
use super::super::ir::Inst;
use super::super::regions::ConstructKind;
use super::{Emitter, number};

/// A construct that is being emitted.
pub(super) struct Open {
    construct: u32,
    kind: ConstructKind,
    /// Whether its lanes may part; then it has mask slots from `slot` on.
    divergent: bool,
    slot: u32,
    /// Where it starts.
    start: usize,
    /// Operations that go to its next part when no lane is left.
    to_next: Vec<usize>,
    /// Jumps to its end.
    to_end: Vec<usize>,
    /// Whether it has a conditional's other arm only, which then runs as its first.
    inverted: bool,
    /// Whether lanes may wait for its continuing part.
    continued: bool,
}

impl Emitter<'_> {
    /// From here on, operations may be reached by a jump.
    fn label(&mut self) -> usize {
        self.straight = self.code.ops.len();
        self.block = None;
        self.ramps.clear();
        self.straight
    }

    fn patch(&mut self, jumps: &[usize], to: usize) {
        for jump in jumps {
            if let Some(target) = self.code.ops[*jump].target() {
                *target = number(to);
            }
        }
    }

    /// `op` goes, when it leaves no lane, to wherever lanes may wake up next.
    fn push_dead_end(&mut self, op: Op) {
        let at = self.push(op);
        match self.open.iter_mut().rev().find(|o| o.divergent) {
            Some(open) => open.to_next.push(at),
            None => self.to_end.push(at),
        }
        self.label();
    }

    fn opened(&mut self, i: usize, kind: ConstructKind) -> usize {
        let construct = self.regions.construct[i].unwrap_or_default();
        let divergent = self.classes.divergent[construct as usize];
        let slots = match kind {
            _ if !divergent => 0,
            ConstructKind::Loop => 2,
            _ => 1,
        };
        // Slots are reused as masks nest: those of constructs that are open come first.
        let slot = self.open.iter().map(|o| o.slot + o.slots()).max().unwrap_or(0);
        self.code.slots = self.code.slots.max(slot + slots);
        self.open.push(Open {
            construct,
            kind,
            divergent,
            slot,
            start: 0,
            to_next: Vec::new(),
            to_end: Vec::new(),
            inverted: false,
            continued: false,
        });
        self.open.len() - 1
    }

    fn target(&mut self, i: usize) -> Option<usize> {
        let construct = self.regions.construct[i]?;
        self.open.iter().rposition(|o| o.construct == construct)
    }

    pub(super) fn control(&mut self, i: usize, inst: Inst) {
        match inst {
            Inst::If { cond, counted } => {
                let inverted = matches!(self.ir.insts.get(i + 1), Some(Inst::Else));
                if self.class(cond) == Class::Uniform {
                    let cond = self.one(cond);
                    let at = self.push(Op::JumpIf { cond, when: inverted, counted, to: 0 });
                    let open = self.opened(i, ConstructKind::If);
                    self.open[open].to_next.push(at);
                    self.open[open].inverted = inverted;
                } else {
                    let cond = self.lanes(cond);
                    let open = self.opened(i, ConstructKind::If);
                    let slot = self.open[open].slot;
                    let at = self.push(Op::Split { cond, when: !inverted, counted, slot, to: 0 });
                    self.open[open].to_next.push(at);
                    self.open[open].inverted = inverted;
                }
                self.label();
            }
            Inst::Else => self.other_arm(),
            Inst::EndIf | Inst::EndScope | Inst::EndFn => self.close(),
            Inst::Scope | Inst::Fn => {
                let kind = if matches!(inst, Inst::Fn) { ConstructKind::Fn } else { ConstructKind::Scope };
                let open = self.opened(i, kind);
                if self.open[open].divergent {
                    let slot = self.open[open].slot;
                    self.push(Op::Clear { slot });
                }
            }
            Inst::Loop => {
                let open = self.opened(i, ConstructKind::Loop);
                if self.open[open].divergent {
                    let slot = self.open[open].slot;
                    self.push(Op::Clear { slot });
                    self.push(Op::Clear { slot: slot + 1 });
                }
                self.open[open].start = self.label();
            }
            Inst::Continuing => self.continuing(),
            Inst::BreakIf { cond } => {
                let Some(open) = self.target(i) else { return };
                if self.open[open].divergent {
                    let (cond, slot) = (self.lanes(cond), self.open[open].slot);
                    self.push(Op::LeaveIf { cond, slot });
                } else {
                    let cond = self.one(cond);
                    let at = self.push(Op::JumpIf { cond, when: true, counted: true, to: 0 });
                    self.open[open].to_end.push(at);
                    self.label();
                }
            }
            Inst::EndLoop => self.close_loop(),
            Inst::Break { .. } | Inst::Continue { .. } | Inst::Return => {
                self.leave(i, matches!(inst, Inst::Continue { .. }));
            }
            _ => {}
        }
    }

    fn other_arm(&mut self) {
        let Some(open) = self.open.last_mut() else { return };
        if open.inverted {
            return;
        }
        let (divergent, slot) = (open.divergent, open.slot);
        let waiting = std::mem::take(&mut open.to_next);
        if divergent {
            let at = self.push(Op::Swap { slot, to: 0 });
            self.patch(&waiting, at);
            if let Some(open) = self.open.last_mut() {
                open.to_next.push(at);
            }
            self.label();
        } else {
            let at = self.push(Op::Jump { to: 0 });
            if let Some(open) = self.open.last_mut() {
                open.to_end.push(at);
            }
            let here = self.label();
            self.patch(&waiting, here);
        }
    }

    fn continuing(&mut self) {
        let Some(open) = self.open.last_mut() else { return };
        if !open.continued {
            return;
        }
        let (divergent, slot) = (open.divergent, open.slot + 1);
        let waiting = std::mem::take(&mut open.to_next);
        let here = if divergent {
            let at = self.push(Op::Join { slot, to: 0 });
            if let Some(open) = self.open.last_mut() {
                open.to_next.push(at);
            }
            self.label();
            at
        } else {
            self.label()
        };
        self.patch(&waiting, here);
    }

    fn close_loop(&mut self) {
        self.weigh(1);
        let Some(open) = self.open.last_mut() else { return };
        let (divergent, start) = (open.divergent, open.start);
        let waiting = std::mem::take(&mut open.to_next);
        if divergent {
            let at = self.push(Op::Again { to: number(start) });
            self.patch(&waiting, at);
            self.code.loops.push((number(start), number(at)));
        } else {
            let at = self.push(Op::Jump { to: number(start) });
            self.code.loops.push((number(start), number(at)));
        }
        self.close();
    }

    /// Ends the innermost construct.
    fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let here = self.code.ops.len();
        self.patch(&open.to_next, here);
        self.patch(&open.to_end, here);
        if open.divergent {
            self.push_dead_end(Op::Join { slot: open.slot, to: 0 });
        } else if open.kind != ConstructKind::Block {
            self.label();
        }
    }

    /// A jump out of a construct, or to its continuing part.
    fn leave(&mut self, i: usize, to_continuing: bool) {
        let Some(open) = self.target(i) else {
            self.push_dead_end(Op::Exit { to: 0 });
            return;
        };
        self.open[open].continued |= to_continuing;
        if self.open[open].divergent {
            let slot = self.open[open].slot + u32::from(to_continuing);
            self.push_dead_end(Op::Leave { slot, to: 0 });
        } else {
            let at = self.push(Op::Jump { to: 0 });
            let open = &mut self.open[open];
            if to_continuing {
                open.to_next.push(at)
            } else {
                open.to_end.push(at)
            }
            self.label();
        }
    }

    pub(super) fn finish(&mut self) {
        let end = self.push(Op::End);
        let jumps = std::mem::take(&mut self.to_end);
        self.patch(&jumps, end);
    }
}

impl Open {
    fn slots(&self) -> u32 {
        match self.kind {
            _ if !self.divergent => 0,
            ConstructKind::Loop => 2,
            _ => 1,
        }
    }
}
