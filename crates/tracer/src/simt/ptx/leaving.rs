//! Barriers, and operations of a warp, that some lanes do not reach because they have left the kernel.
//!
//! A barrier waits for the threads that have not exited (PTX ISA, `bar.sync`). So a lane may return early and others meet at a barrier,
//! but a lane must not go around a barrier and then on with those that were there.

use std::collections::{HashMap, HashSet};

use super::super::ir::Absent;
use super::flow::{BlockId, End, Flow};

/// The most blocks that are visited for all barriers of a kernel. In a larger one each lane is expected at each barrier.
const MOST: usize = 1 << 24;

/// The barriers that lanes do not come to, by what these execute after them.
#[derive(Debug, Default)]
pub(super) struct Leaving {
    /// By barrier, by its place in the PTX.
    absent: HashMap<u32, Absent>,
    /// The blocks that follow a barrier and that lanes reach around it, too: by barriers' number.
    behind: Vec<HashSet<BlockId>>,
}

impl Leaving {
    pub fn of(flow: &Flow<'_>) -> Self {
        let barriers = |block: BlockId| {
            let body = flow.blocks[block].body.iter();
            body.filter(|i| matches!(i.words[0].as_str(), "bar" | "barrier") || i.with_members().is_some())
                .map(|i| i.at)
        };
        let all: Vec<BlockId> = (0..flow.blocks.len()).filter(|block| barriers(*block).next().is_some()).collect();
        if all.len().saturating_mul(flow.blocks.len()) > MOST {
            return Self::default();
        }
        let next: Vec<Vec<BlockId>> = flow.blocks.iter().map(|block| block.end.targets()).collect();
        let mut before = vec![Vec::new(); next.len()];
        for (block, targets) in next.iter().enumerate() {
            targets.iter().for_each(|target| before[*target].push(block));
        }
        let mut leaving = Self::default();
        for barrier in all {
            let around = around(flow, barrier, &next, &before);
            let known = leaving.behind.iter().position(|known| *known == around);
            let absent = match (around.is_empty(), known.unwrap_or(leaving.behind.len()).try_into()) {
                (true, _) => Absent::Left,
                (false, Ok(number)) => Absent::LeftBefore(number),
                (false, Err(_)) => Absent::Wrong,
            };
            if let (Absent::LeftBefore(_), None) = (absent, known) {
                leaving.behind.push(around);
            }
            leaving.absent.extend(barriers(barrier).map(|at| (at, absent)));
        }
        leaving
    }

    /// How lanes are judged that do not come to the barrier at a place of the PTX.
    pub fn absent(&self, at: u32) -> Absent {
        self.absent.get(&at).copied().unwrap_or_default()
    }

    /// The numbers of the barriers that a block is behind.
    pub fn behind(&self, block: BlockId) -> Vec<u8> {
        let numbers = (0..).zip(&self.behind);
        numbers.filter(|(_, blocks)| blocks.contains(&block)).map(|(number, _)| number).collect()
    }
}

/// The blocks that follow the barrier in a block, and that lanes reach without coming to it, other than a return.
fn around(flow: &Flow<'_>, barrier: BlockId, next: &[Vec<BlockId>], before: &[Vec<BlockId>]) -> HashSet<BlockId> {
    let after = reached(next, next[barrier].clone());
    let ahead = reached(before, before[barrier].clone());
    // A barrier in a loop is ahead of itself: lanes may leave the loop after one of its rounds.
    let leads = |block: &BlockId| *block == barrier || ahead[*block];
    let branches = (0..next.len()).filter(|block| ahead[*block]);
    let around = branches.flat_map(|block| next[block].iter().copied()).filter(|target| !leads(target));
    let around = reached(next, around.collect());
    let returns = |block: usize| matches!(flow.blocks[block].end, End::Return) && flow.blocks[block].body.is_empty();
    (0..next.len()).filter(|block| around[*block] && after[*block] && !returns(*block)).collect()
}

/// By block, whether it can be reached from `start`, these included.
fn reached(edges: &[Vec<BlockId>], start: Vec<BlockId>) -> Vec<bool> {
    let (mut seen, mut open) = (vec![false; edges.len()], start);
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut seen[block], true) {
            open.extend(&edges[block]);
        }
    }
    seen
}
