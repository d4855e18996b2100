//! Barriers, and operations of a warp, that some lanes do not reach because they have left the kernel.
//!
//! A barrier waits for the threads that have not exited (PTX ISA, `bar.sync`). So a lane may return early and others meet at a barrier,
//! but a lane must not go around a barrier and then on with those that were there.

use std::collections::HashSet;

use super::flow::{BlockId, End, Flow};

/// The most blocks that are visited for all barriers of a kernel. In a larger one each lane is expected at each barrier.
const MOST: usize = 1 << 24;

/// The barriers, by their places in the PTX, that lanes miss only by leaving the kernel on a path of their own.
pub(super) fn left_early(flow: &Flow<'_>) -> HashSet<u32> {
    let barriers = |block: BlockId| {
        let body = flow.blocks[block].body.iter();
        body.filter(|i| matches!(i.words[0].as_str(), "bar" | "barrier") || i.with_members().is_some()).map(|i| i.at)
    };
    let all: Vec<BlockId> = (0..flow.blocks.len()).filter(|block| barriers(*block).next().is_some()).collect();
    if all.len().saturating_mul(flow.blocks.len()) > MOST {
        return HashSet::new();
    }
    let next: Vec<Vec<BlockId>> = flow.blocks.iter().map(|block| block.end.targets()).collect();
    let mut before = vec![Vec::new(); next.len()];
    for (block, targets) in next.iter().enumerate() {
        targets.iter().for_each(|target| before[*target].push(block));
    }
    let early = all.into_iter().filter(|barrier| is_missed_by_leaving(flow, *barrier, &next, &before));
    early.flat_map(barriers).collect()
}

/// Whether the lanes that do not come to the barrier in a block execute nothing that follows it, but a return.
fn is_missed_by_leaving(flow: &Flow<'_>, barrier: BlockId, next: &[Vec<BlockId>], before: &[Vec<BlockId>]) -> bool {
    let after = reached(next, next[barrier].clone());
    let ahead = reached(before, before[barrier].clone());
    // A barrier in a loop is ahead of itself: lanes may leave the loop after one of its rounds.
    let leads = |block: &BlockId| *block == barrier || ahead[*block];
    let branches = (0..next.len()).filter(|block| ahead[*block]);
    let around = branches.flat_map(|block| next[block].iter().copied()).filter(|target| !leads(target));
    let around = reached(next, around.collect());
    let returns = |block: usize| matches!(flow.blocks[block].end, End::Return) && flow.blocks[block].body.is_empty();
    (0..next.len()).all(|block| !(around[block] && after[block]) || returns(block))
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
