//! Notes where the result of an atomic decides more than its word: the place of a store, a value that is stored, or a branch. Lanes get such
//! results in the order in which they arrive, which may change from run to run.

use std::collections::BTreeMap;

use super::ir::{AtomicOp, Inst, Ir, Mem, Place, Reg};
use crate::trace::{Note, NoteKind};

/// An atomic whose result is followed: its line, and the buffer or workgroup memory that its word is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Source {
    line: u32,
    buffer: Option<u16>,
}

/// A note for each line that does so. `is_contended`: whether several lanes change a word by the atomics of a line, or of a buffer, with
/// nothing to order them. A kernel that also loads at such a place takes its work from a counter, and the order of its output does not
/// follow.
pub fn notes(ir: &Ir, is_contended: &dyn Fn(u32, Option<u16>) -> bool) -> Vec<Note> {
    let mut from = from_atomics(ir);
    from.iter_mut().for_each(|from| *from = from.filter(|of| is_contended(of.line, of.buffer)));
    let of_place = |place: &Place| place.terms.iter().filter_map(|term| from[term.index as usize]).min();
    let at = |inst: &Inst| inst.place(ir).map(|place| &ir.places[place as usize]);
    let queue = ir.insts.iter().filter(|inst| matches!(inst, Inst::Load { .. })).filter_map(at);
    let queue: Vec<Source> = queue.filter(|place| matches!(place.mem, Mem::Buffer(_))).filter_map(of_place).collect();
    let mut notes = BTreeMap::new();
    let mut add = |line: u32, what: String, of: Source| {
        let message = format!(
            "{what} comes from what the atomic at line {} returned: lanes get their results in the order in which they arrive, which may \
             change from run to run",
            of.line
        );
        notes.entry(line).or_insert(Note { kind: NoteKind::ArrivalOrder, line, message });
    };
    for (inst, line) in ir.insts.iter().zip(&ir.lines) {
        let value = |reg: Reg| from[reg as usize];
        match *inst {
            Inst::Store { place, src } => {
                let place = &ir.places[place as usize];
                let Mem::Buffer(_) = place.mem else { continue };
                let name = &ir.variables[usize::from(place.variable)].name;
                if let Some(of) = of_place(place).filter(|of| !queue.contains(of)) {
                    add(place.line, format!("the place of this store in `{name}`"), of);
                } else if let Some(of) = src[..usize::from(place.components)].iter().filter_map(|reg| value(*reg)).min()
                {
                    add(place.line, format!("the value that is stored in `{name}`"), of);
                }
            }
            Inst::If { cond, .. } | Inst::BreakIf { cond } | Inst::Switch { case: cond } if *line != 0 => {
                if let Some(of) = value(cond) {
                    add(*line, "the lane that takes this branch".to_owned(), of);
                }
            }
            _ => {}
        }
    }
    notes.into_values().collect()
}

/// By register, the atomic whose result its value is computed from; None if there is none. Followed through variables and workgroup memory.
/// A compare-exchange or an exchange hands its word over, as locks do, and is not followed.
fn from_atomics(ir: &Ir) -> Vec<Option<Source>> {
    let mut from: Vec<Option<Source>> = vec![None; ir.regs.len()];
    let mut shared: Vec<Option<Source>> = vec![None; ir.variables.len()];
    let hands_over = |op: AtomicOp| matches!(op, AtomicOp::CompareExchange | AtomicOp::Exchange);
    loop {
        let mut changed = false;
        let mut set = |to: &mut Option<Source>, of: Option<Source>| {
            if to.is_none() && of.is_some() {
                *to = of;
                changed = true;
            }
        };
        for (inst, line) in ir.insts.iter().zip(&ir.lines) {
            let mut read = None;
            inst.reads(ir, |reg: Reg| read = read.or(from[reg as usize]));
            let source = |place: u32| {
                let buffer = match ir.places[place as usize].mem {
                    Mem::Buffer(buffer) => Some(buffer),
                    _ => None,
                };
                Some(Source { line: *line, buffer })
            };
            match *inst {
                Inst::Atomic { op, old: Some(old), place, .. } if !hands_over(op) => {
                    set(&mut from[old as usize], source(place));
                }
                Inst::AtomicWords { op, old: Some(old), place, .. } if !hands_over(op) => {
                    old.iter().for_each(|old| set(&mut from[*old as usize], source(place)));
                }
                Inst::Store { place, .. } if ir.places[place as usize].mem == Mem::Shared => {
                    set(&mut shared[usize::from(ir.places[place as usize].variable)], read);
                }
                Inst::Load { place, .. } if ir.places[place as usize].mem == Mem::Shared => {
                    let read = shared[usize::from(ir.places[place as usize].variable)];
                    inst.writes(ir, |dst| set(&mut from[dst as usize], read));
                }
                _ if inst.computes() || matches!(inst, Inst::Subgroup { .. }) => {
                    inst.writes(ir, |dst| set(&mut from[dst as usize], read));
                }
                _ => {}
            }
        }
        if !changed {
            return from;
        }
    }
}
