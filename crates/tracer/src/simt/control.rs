//! Control dependence by postdominators: which branches decide whether a lane executes an operation, and what else it could have written.
//! After Ferrante, Ottenstein & Warren, "The Program Dependence Graph and Its Use in Optimization" (1987).
//!
//! The graph is that of one lane. Where a warp keeps lanes waiting in a slot, the lane goes on after the operation that wakes them.

use std::collections::{BTreeSet, HashMap};

use super::code::{Code, Mention, Op};

/// The registers that a branch decides.
#[derive(Debug, Default)]
pub struct Decided {
    /// Scalar registers that are written on some of its ways only.
    pub scalars: BTreeSet<u32>,
    /// Vector registers that are, rows of local memory not among them.
    pub vectors: BTreeSet<u32>,
}

/// Control dependences of a program.
pub struct Control {
    /// By operation, the branches that decide directly whether it is executed.
    by_op: Vec<Vec<u32>>,
    /// By branch.
    decided: HashMap<u32, Decided>,
}

impl Control {
    /// Those of `code`.
    pub fn of(code: &Code) -> Self {
        let next: Vec<Vec<usize>> = (0..code.ops.len()).map(|pc| successors(code, pc)).collect();
        let behind = postdominators(&next);
        let mut by_op = vec![Vec::new(); code.ops.len()];
        for (branch, ways) in next.iter().enumerate().filter(|(_, ways)| ways.len() > 1) {
            for way in ways {
                let mut at = *way;
                while at < code.ops.len() && Some(at) != behind[branch] {
                    let branches: &mut Vec<u32> = &mut by_op[at];
                    let branch = u32::try_from(branch).unwrap_or(u32::MAX);
                    if !branches.contains(&branch) {
                        branches.push(branch);
                    }
                    let Some(on) = behind[at] else { break };
                    at = on;
                }
            }
        }
        let decided = decided(code, &by_op);
        Self { by_op, decided }
    }

    /// The branches that decide whether an operation is executed.
    pub fn branches(&self, pc: u32) -> &[u32] {
        self.by_op.get(pc as usize).map_or(&[], Vec::as_slice)
    }

    /// The registers that a branch decides; None if `branch` is no branch.
    pub fn decided(&self, branch: u32) -> Option<&Decided> {
        self.decided.get(&branch)
    }
}

/// Where a lane that executes an operation goes on.
fn successors(code: &Code, pc: usize) -> Vec<usize> {
    // Slots nest as the source does, so that the next operation to wake a slot's lanes is the one that wakes these.
    let woken = |of: u32, swaps: bool| {
        let wakes = |op: &Op| match op {
            Op::Join { slot, .. } => *slot == of,
            Op::Swap { slot, .. } => swaps && *slot == of,
            _ => false,
        };
        code.ops[pc + 1..].iter().position(wakes).map_or(code.ops.len(), |at| pc + 2 + at)
    };
    let mut all = match code.ops[pc] {
        Op::Jump { to } | Op::Again { to } => vec![to as usize],
        Op::JumpIf { to, .. } => vec![pc + 1, to as usize],
        Op::Split { slot, .. } => vec![pc + 1, woken(slot, true)],
        Op::LeaveIf { slot, .. } => vec![pc + 1, woken(slot, false)],
        Op::Leave { slot, .. } | Op::Swap { slot, .. } => vec![woken(slot, false)],
        Op::Exit { .. } | Op::End => vec![code.ops.len()],
        _ => vec![pc + 1],
    };
    all.dedup();
    all
}

/// By operation, the next one that every way to the end goes through; None for those that never get there. The end is after the last one.
/// After Cooper, Harvey & Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on the reversed graph.
fn postdominators(next: &[Vec<usize>]) -> Vec<Option<usize>> {
    let end = next.len();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); end + 1];
    for (pc, ways) in next.iter().enumerate() {
        ways.iter().for_each(|way| before[*way].push(pc));
    }
    // The order in which a walk from the end leaves operations.
    let (mut order, mut number) = (Vec::new(), vec![usize::MAX; end + 1]);
    let (mut seen, mut stack) = (vec![false; end + 1], vec![(end, 0)]);
    seen[end] = true;
    while let Some((at, way)) = stack.pop() {
        if let Some(on) = before[at].get(way) {
            stack.push((at, way + 1));
            if !std::mem::replace(&mut seen[*on], true) {
                stack.push((*on, 0));
            }
        } else {
            number[at] = order.len();
            order.push(at);
        }
    }
    let mut behind: Vec<Option<usize>> = vec![None; end + 1];
    behind[end] = Some(end);
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for at in order.iter().rev().copied().filter(|at| *at != end) {
            let known = next[at].iter().copied().filter(|way| behind[*way].is_some());
            let common = known.reduce(|mut a, mut b| {
                while a != b {
                    while number[a] < number[b] {
                        a = behind[a].unwrap_or(end);
                    }
                    while number[b] < number[a] {
                        b = behind[b].unwrap_or(end);
                    }
                }
                a
            });
            changed |= behind[at] != common;
            behind[at] = common;
        }
    }
    behind.truncate(end);
    behind
}

/// The registers that each branch decides about, those of branches within its ways included.
fn decided(code: &Code, by_op: &[Vec<u32>]) -> HashMap<u32, Decided> {
    let mut under: HashMap<u32, Vec<u32>> = HashMap::new();
    for (pc, branches) in by_op.iter().enumerate() {
        let pc = u32::try_from(pc).unwrap_or(u32::MAX);
        branches.iter().for_each(|branch| under.entry(*branch).or_default().push(pc));
    }
    let (mut places, mut collectives) = (code.places.clone(), code.collectives.clone());
    let all = under.keys().map(|branch| {
        let (mut found, mut seen, mut open) = (Decided::default(), BTreeSet::from([*branch]), vec![*branch]);
        while let Some(branch) = open.pop() {
            for pc in under.get(&branch).into_iter().flatten() {
                let mut op = code.ops[*pc as usize];
                if op.moves() {
                    op.mentions(&mut places, &mut collectives, &mut |mention| match mention {
                        Mention::WriteOne(reg) => _ = found.scalars.insert(*reg),
                        Mention::Write(reg) => _ = found.vectors.insert(*reg),
                        Mention::ReadOne(_) | Mention::Read(_) => {}
                    });
                }
                if under.contains_key(pc) && seen.insert(*pc) {
                    open.push(*pc);
                }
            }
        }
        (*branch, found)
    });
    all.collect()
}
