//! How values flow between registers.

use rustc_hash::FxHashSet;

use super::ir::{Ir, Reg};

/// For each register, those that its value is computed from at once.
pub struct Flow(Vec<Vec<Reg>>);

impl Flow {
    /// Of a program.
    pub fn of(ir: &Ir) -> Self {
        let mut from: Vec<Vec<Reg>> = vec![Vec::new(); ir.regs.len()];
        for inst in &ir.insts {
            if inst.computes() {
                inst.writes(ir, |to| inst.reads(ir, |reg| from[to as usize].push(reg)));
            }
        }
        Self(from)
    }

    /// Calls `visit` with these registers and all that their values are computed from, each once, until it gives false.
    pub fn back(&self, values: &[Reg], mut visit: impl FnMut(Reg) -> bool) {
        let mut seen = FxHashSet::default();
        let mut open = vec![values.iter()];
        while let Some(last) = open.last_mut() {
            let Some(reg) = last.next() else {
                open.pop();
                continue;
            };
            if seen.insert(*reg) {
                if !visit(*reg) {
                    return;
                }
                open.push(self.0[*reg as usize].iter());
            }
        }
    }

    /// By register, whether its value reaches memory, an address, a branch or another lane.
    pub fn live(&self, ir: &Ir) -> Vec<bool> {
        let mut open: Vec<Reg> = ir.places.iter().flat_map(|place| &place.terms).map(|term| term.index).collect();
        for inst in ir.insts.iter().filter(|inst| !inst.computes()) {
            inst.reads(ir, |reg| open.push(reg));
        }
        let mut live = vec![false; ir.regs.len()];
        self.back(&open, |reg| {
            live[reg as usize] = true;
            true
        });
        live
    }
}
