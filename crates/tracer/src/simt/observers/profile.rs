//! Counts instructions by source line: a number for each basic block, which knows its lines.

use super::{Lines, Observer, count_lanes};
use crate::simt::code::Code;
use crate::trace::Trace;

/// Counts the basic blocks that warps enter.
#[derive(Clone, Debug)]
pub struct Profile {
    blocks: Vec<Entered>,
    /// All lanes of a warp.
    full: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Entered {
    warps: u64,
    /// Warps with some lanes off.
    partial: u64,
    lanes: u64,
}

impl Profile {
    /// For the blocks of `code` and warps of `width` lanes.
    pub fn new(code: &Code, width: u32) -> Self {
        Self { blocks: vec![Entered::default(); code.blocks.len()], full: u64::MAX >> (64 - width) }
    }

    /// Adds the counts of another part of the same run.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.blocks.iter_mut().zip(&other.blocks) {
            mine.warps += theirs.warps;
            mine.partial += theirs.partial;
            mine.lanes += theirs.lanes;
        }
    }

    /// Writes the counts into `trace` and `lines`.
    pub fn finish(&self, code: &Code, trace: &mut Trace, lines: &mut Lines) {
        for (block, entered) in code.blocks.iter().zip(&self.blocks).filter(|(_, entered)| entered.warps > 0) {
            trace.warp_instructions += entered.warps * u64::from(block.weight);
            trace.partial_instructions += entered.partial * u64::from(block.weight);
            trace.lane_ops += entered.lanes * u64::from(block.weight);
            trace.matrix_products += entered.warps * u64::from(block.products);
            for (line, weight) in &block.lines {
                let line = lines.entry(*line).or_default();
                line.warp_instructions += entered.warps * u64::from(*weight);
                line.lane_ops += entered.lanes * u64::from(*weight);
            }
        }
    }
}

impl Observer for Profile {
    const ACTIVE: bool = true;

    #[inline]
    fn block(&mut self, block: u32, mask: u64) {
        let entered = &mut self.blocks[block as usize];
        entered.warps += 1;
        entered.partial += u64::from(mask != self.full);
        entered.lanes += u64::from(count_lanes(mask, self.full));
    }
}
