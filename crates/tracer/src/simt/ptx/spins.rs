//! Loops in which lanes wait for what others will store.

use super::super::ir::{AtomicOp, Inst, Ir, PlaceId};

/// Marks the loops that load a volatile or acquired word, or compare and swap one, or load one by an atomic that leaves it as it is
/// (`polls` has their places), and store nothing: in these a warp lets others run.
pub(super) fn mark(ir: &mut Ir, polls: &[PlaceId]) {
    let mut marked = vec![false; ir.insts.len()];
    let mut open: Vec<(usize, bool, bool)> = Vec::new();
    for (i, inst) in ir.insts.iter().enumerate() {
        match inst {
            Inst::Loop => open.push((i, false, false)),
            Inst::EndLoop => {
                if let Some((start, waits, does)) = open.pop() {
                    marked[start] = waits && !does;
                    if let Some(around) = open.last_mut() {
                        (around.1, around.2) = (around.1 || waits, around.2 || does);
                    }
                }
            }
            Inst::Load { place, .. } if ir.places[*place as usize].atomic => {
                open.iter_mut().for_each(|(_, waits, _)| *waits = true);
            }
            Inst::Atomic { op: AtomicOp::CompareExchange | AtomicOp::Exchange, .. }
            | Inst::AtomicWords { op: AtomicOp::CompareExchange | AtomicOp::Exchange, .. } => {
                open.iter_mut().for_each(|(_, waits, _)| *waits = true);
            }
            Inst::Atomic { place, .. } | Inst::AtomicWords { place, .. } if polls.contains(place) => {
                open.iter_mut().for_each(|(_, waits, _)| *waits = true);
            }
            Inst::Store { .. } | Inst::Barrier(_) | Inst::Vote { .. } | Inst::Say { .. } => {
                open.iter_mut().for_each(|(.., does)| *does = true);
            }
            _ => {}
        }
    }
    if !marked.contains(&true) {
        return;
    }
    let (insts, lines) = (std::mem::take(&mut ir.insts), std::mem::take(&mut ir.lines));
    for ((inst, line), marked) in insts.into_iter().zip(lines).zip(marked) {
        ir.insts.push(inst);
        ir.lines.push(line);
        if marked {
            ir.insts.push(Inst::Spin);
            ir.lines.push(line);
        }
    }
}
