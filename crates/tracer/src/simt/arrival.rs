//! Detects stores whose place comes from an atomic's result: lanes get their places in the order in which they arrive, so that the order of
//! the output may change from run to run.

use std::collections::BTreeMap;

use super::ir::{Inst, Ir, Mem, Place, Reg};
use crate::trace::{Note, NoteKind};

/// A note for each line that stores so. A kernel that also loads at such a place takes its work from a counter, and the order of its output
/// does not follow.
pub fn notes(ir: &Ir) -> Vec<Note> {
    let from = from_atomics(ir);
    let of_place = |place: &Place| place.terms.iter().filter_map(|term| from[term.index as usize]).min();
    let at = |inst: &Inst| inst.place(ir).map(|place| &ir.places[place as usize]);
    let queue = ir.insts.iter().filter(|inst| matches!(inst, Inst::Load { .. })).filter_map(at);
    let queue: Vec<u32> = queue.filter(|place| matches!(place.mem, Mem::Buffer(_))).filter_map(of_place).collect();
    let mut notes = BTreeMap::new();
    for place in ir.insts.iter().filter(|inst| matches!(inst, Inst::Store { .. })).filter_map(at) {
        let Some(atomic) = of_place(place).filter(|line| !queue.contains(line)) else { continue };
        if let Mem::Buffer(_) = place.mem {
            let message = format!(
                "the place of this store in `{}` comes from what the atomic at line {atomic} returned: lanes get their places in the order in which they arrive, \
                 which may change from run to run",
                ir.variables[usize::from(place.variable)].name
            );
            notes.entry(place.line).or_insert(Note { kind: NoteKind::ArrivalOrder, line: place.line, message });
        }
    }
    notes.into_values().collect()
}

/// By register, the line of an atomic whose result its value is computed from; None if there is none. Followed through variables and
/// workgroup memory.
fn from_atomics(ir: &Ir) -> Vec<Option<u32>> {
    let mut from: Vec<Option<u32>> = vec![None; ir.regs.len()];
    let mut shared: Vec<Option<u32>> = vec![None; ir.variables.len()];
    loop {
        let mut changed = false;
        let mut set = |to: &mut Option<u32>, line: Option<u32>| {
            if to.is_none() && line.is_some() {
                *to = line;
                changed = true;
            }
        };
        for (inst, line) in ir.insts.iter().zip(&ir.lines) {
            let mut read = None;
            inst.reads(ir, |reg: Reg| read = read.or(from[reg as usize]));
            match *inst {
                Inst::Atomic { old: Some(old), .. } => set(&mut from[old as usize], Some(*line)),
                Inst::AtomicWords { old: Some(old), .. } => {
                    old.iter().for_each(|old| set(&mut from[*old as usize], Some(*line)));
                }
                Inst::Un { dst, .. } | Inst::Bin { dst, .. } | Inst::Tri { dst, .. } | Inst::Read { dst, .. } => {
                    set(&mut from[dst as usize], read);
                }
                Inst::Write { var, .. } => set(&mut from[var as usize], read),
                Inst::Subgroup { dst, .. } => dst.iter().for_each(|dst| set(&mut from[*dst as usize], read)),
                Inst::Store { place, .. } if ir.places[place as usize].mem == Mem::Shared => {
                    set(&mut shared[usize::from(ir.places[place as usize].variable)], read);
                }
                Inst::Load { place, dst } if ir.places[place as usize].mem == Mem::Shared => {
                    let read = shared[usize::from(ir.places[place as usize].variable)];
                    let components = usize::from(ir.places[place as usize].components);
                    dst[..components].iter().for_each(|dst| set(&mut from[*dst as usize], read));
                }
                _ => {}
            }
        }
        if !changed {
            return from;
        }
    }
}
