//! Barriers that some lanes do not reach because they have left the kernel.
//!
//! A barrier waits for the threads that have not exited (PTX ISA, `bar.sync`). So a lane may return early and others meet at a barrier,
//! but a lane must not go around a barrier and then on with those that were there.

use std::collections::HashSet;

use super::flow::{BlockId, End, Flow};

/// The barriers, by their places in the PTX, that lanes miss only by leaving the kernel on a way of their own.
pub(super) fn left_early(flow: &Flow<'_>) -> HashSet<u32> {
    let from: Vec<HashSet<BlockId>> = (0..flow.blocks.len()).map(|block| reached(flow, block)).collect();
    // A block that only returns is where any way may end.
    let returns =
        |block: &BlockId| matches!(flow.blocks[*block].end, End::Return) && flow.blocks[*block].body.is_empty();
    let is_missed_by_leaving = |at: BlockId| {
        let leads = |block: BlockId| block == at || from[block].contains(&at);
        // In a loop, lanes may go on from the barrier's own block and miss its next round.
        let leaving = (0..flow.blocks.len()).filter(|block| leads(*block) && (*block != at || from[at].contains(&at)));
        let mut ways = leaving.flat_map(|block| flow.blocks[block].end.targets()).filter(|way| !leads(*way));
        ways.all(|way| {
            let own = from[way].iter().chain([&way]);
            own.filter(|block| !returns(block)).all(|block| !from[at].contains(block))
        })
    };
    let mut found = HashSet::new();
    for (number, block) in flow.blocks.iter().enumerate() {
        let mut barriers = block.body.iter().filter(|i| matches!(i.words[0].as_str(), "bar" | "barrier")).peekable();
        if barriers.peek().is_some() && is_missed_by_leaving(number) {
            found.extend(barriers.map(|i| i.at));
        }
    }
    found
}

/// The blocks that may come after one; itself only in a loop.
fn reached(flow: &Flow<'_>, block: BlockId) -> HashSet<BlockId> {
    let (mut seen, mut open) = (HashSet::new(), flow.blocks[block].end.targets());
    while let Some(next) = open.pop() {
        if seen.insert(next) {
            open.extend(flow.blocks[next].end.targets());
        }
    }
    seen
}
