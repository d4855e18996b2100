//! The critical path of a launch: instructions, waits for memory and barriers of one workgroup, which no device runs in
//! parallel.
//!
//! Warps run in parallel between barriers, so each quantity is the maximum over the warps, summed over the intervals
//! between barriers; then the maximum over the workgroups. Maxima of different quantities may be of different warps.

use super::Observer;
use crate::simt::code::{Block, Code};
use crate::simt::ir::Orders;
use crate::trace::{CriticalPath, Trace};

/// Instructions, those of the longest chains, waits for buffers, waits for workgroup memory, barriers, chased waits, and intervals between
/// barriers in which there are waits for buffers.
type Path = [u64; 7];

/// The path of a paused workgroup: that of each warp since the last barrier, and of all up to it.
#[derive(Debug)]
pub struct Suspended(Vec<Path>, Path);

/// Counts the critical path.
#[derive(Clone, Debug)]
pub struct Critical {
    /// The path of each basic block.
    blocks: Vec<Path>,
    /// Of each warp since the last barrier.
    warps: Vec<Path>,
    /// Of the present workgroup up to the last barrier.
    workgroup: Path,
    /// The maximum of the workgroups.
    longest: Path,
    /// The present warp's number.
    number: usize,
}

impl Critical {
    /// For the blocks of `code`.
    pub fn new(code: &Code) -> Self {
        let path = |block: &Block| {
            let Block { weight, chain, waits_global, waits_shared, waits_chased, .. } = *block;
            [weight, chain, waits_global, waits_shared, 0, waits_chased, 0].map(u64::from)
        };
        let none = Path::default();
        Self {
            blocks: code.blocks.iter().map(path).collect(),
            warps: Vec::new(),
            workgroup: none,
            longest: none,
            number: 0,
        }
    }

    /// Takes in another part of the same run.
    pub fn add(&mut self, other: &Self) {
        take_maximum(&mut self.longest, &other.longest);
    }

    /// Writes the path into `trace`.
    pub fn finish(&self, trace: &mut Trace) {
        let [instructions, chain, global_waits, shared_waits, barriers, chased_waits, waiting_intervals] = self.longest;
        trace.critical =
            CriticalPath { instructions, chain, global_waits, chased_waits, waiting_intervals, shared_waits, barriers };
    }

    /// Takes out the path of a workgroup that is paused.
    pub fn suspend(&mut self) -> Suspended {
        Suspended(std::mem::take(&mut self.warps), std::mem::take(&mut self.workgroup))
    }

    /// Puts back the path of a workgroup that goes on.
    pub fn resume(&mut self, Suspended(warps, workgroup): Suspended) {
        (self.warps, self.workgroup) = (warps, workgroup);
    }

    fn end_epoch(&mut self) {
        let mut epoch = Path::default();
        for warp in &mut self.warps {
            take_maximum(&mut epoch, &std::mem::take(warp));
        }
        epoch[6] = epoch[2].min(1);
        self.workgroup.iter_mut().zip(epoch).for_each(|(sum, more)| *sum += more);
    }
}

fn take_maximum(mine: &mut Path, theirs: &Path) {
    mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
}

impl Observer for Critical {
    const ACTIVE: bool = true;

    fn warp(&mut self, warp: u32) {
        self.number = warp as usize;
        if self.warps.len() <= self.number {
            self.warps.resize(self.number + 1, Path::default());
        }
    }

    #[inline]
    fn block(&mut self, block: u32, _: u64) {
        let more = &self.blocks[block as usize];
        if let Some(warp) = self.warps.get_mut(self.number) {
            warp.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
    }

    fn release(&mut self, _: Orders) {
        self.end_epoch();
        self.workgroup[4] += 1;
    }

    fn done(&mut self) {
        self.end_epoch();
        let workgroup = std::mem::take(&mut self.workgroup);
        take_maximum(&mut self.longest, &workgroup);
    }
}
