//! The critical path of a launch: instructions, waits for memory and barriers of one workgroup, which no device runs in parallel.
//!
//! Warps run in parallel between barriers, so each quantity is the maximum over the warps, summed over the intervals between barriers; then
//! the maximum over the workgroups. Maxima of different quantities may be of different warps.

use super::Observer;
use crate::simt::code::Code;
use crate::simt::ir::Orders;
use crate::trace::{CriticalPath, Trace};

/// Instructions, those of the longest chains, waits for buffers, waits for workgroup memory, barriers.
type Path = [u64; 5];

/// The path of a paused workgroup, and the warp that it was paused in.
#[derive(Debug)]
pub struct Suspended([Path; 3], u32);

/// Counts the critical path.
#[derive(Clone, Debug)]
pub struct Critical {
    /// The path of each basic block.
    blocks: Vec<Path>,
    /// Of the present warp since the last barrier.
    warp: Path,
    /// The maximum of the warps since the last barrier.
    epoch: Path,
    /// Of the present workgroup up to the last barrier.
    workgroup: Path,
    /// The maximum of the workgroups.
    longest: Path,
    /// The present warp's number.
    number: u32,
    /// The number of the warp that goes on after a pause.
    resumed: Option<u32>,
}

impl Critical {
    /// For the blocks of `code`.
    pub fn new(code: &Code) -> Self {
        let path = |block: &crate::simt::code::Block| {
            [block.weight, block.chain, block.waits_global, block.waits_shared, 0].map(u64::from)
        };
        let none = Path::default();
        Self {
            blocks: code.blocks.iter().map(path).collect(),
            warp: none,
            epoch: none,
            workgroup: none,
            longest: none,
            number: 0,
            resumed: None,
        }
    }

    /// Takes in another part of the same run.
    pub fn add(&mut self, other: &Self) {
        take_maximum(&mut self.longest, &other.longest);
    }

    /// Writes the path into `trace`.
    pub fn finish(&self, trace: &mut Trace) {
        let [instructions, chain, global_waits, shared_waits, barriers] = self.longest;
        trace.critical = CriticalPath { instructions, chain, global_waits, shared_waits, barriers };
    }

    /// Takes out the path of a workgroup that is paused.
    pub fn suspend(&mut self) -> Suspended {
        let paths = [&mut self.warp, &mut self.epoch, &mut self.workgroup];
        Suspended(paths.map(std::mem::take), self.number)
    }

    /// Puts back the path of a workgroup that goes on.
    pub fn resume(&mut self, Suspended(path, warp): Suspended) {
        [self.warp, self.epoch, self.workgroup] = path;
        self.resumed = Some(warp);
    }

    fn end_warp(&mut self) {
        let warp = std::mem::take(&mut self.warp);
        take_maximum(&mut self.epoch, &warp);
    }

    fn end_epoch(&mut self) {
        self.end_warp();
        let epoch = std::mem::take(&mut self.epoch);
        self.workgroup.iter_mut().zip(epoch).for_each(|(sum, more)| *sum += more);
    }
}

fn take_maximum(mine: &mut Path, theirs: &Path) {
    mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
}

impl Observer for Critical {
    const ACTIVE: bool = true;

    fn warp(&mut self, warp: u32) {
        if self.resumed.take() != Some(warp) {
            self.end_warp();
        }
        self.number = warp;
    }

    #[inline]
    fn block(&mut self, block: u32, _: u64) {
        let more = &self.blocks[block as usize];
        self.warp.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
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
