//! Counts in the units of hardware counters, streaming: a few numbers for each block and each access of the program.

use std::collections::BTreeMap;

use super::memo::Memo;
use super::{Access, Observer};
use crate::simt::code::Code;
use crate::simt::ir::Mem;
use crate::trace::{AccessKind, BranchCounts, LineCounts, Space, Trace};

/// Counts what warps do.
#[derive(Clone, Debug)]
pub struct Counter {
    blocks: Vec<BlockCounts>,
    sites: Vec<Site>,
    branches: BranchCounts,
    barriers: u64,
    /// All lanes of a warp.
    full: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct BlockCounts {
    warps: u64,
    lanes: u64,
}

#[derive(Clone, Debug)]
struct Site {
    kind: AccessKind,
    requests: u64,
    lanes: u64,
    /// Sectors or wavefronts.
    cost: u64,
    /// Of it, beyond the least possible: the conflicts in workgroup memory.
    beyond: u64,
    memo: Memo,
}

impl Counter {
    /// A counter for warps of `width` lanes.
    pub fn new(code: &Code, width: u32) -> Self {
        let site = Site { kind: AccessKind::Load, requests: 0, lanes: 0, cost: 0, beyond: 0, memo: Memo::new() };
        Self {
            blocks: vec![BlockCounts::default(); code.blocks.len()],
            sites: vec![site; code.places.len()],
            branches: BranchCounts::default(),
            barriers: 0,
            full: u64::MAX >> (64 - width),
        }
    }

    fn lanes(&self, mask: u64) -> u64 {
        // Counting bits takes longer than the comparison.
        if mask == self.full { u64::from(self.full.count_ones()) } else { u64::from(mask.count_ones()) }
    }

    /// Adds the counts of another part of the same run.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.blocks.iter_mut().zip(&other.blocks) {
            mine.warps += theirs.warps;
            mine.lanes += theirs.lanes;
        }
        for (mine, theirs) in self.sites.iter_mut().zip(&other.sites) {
            if theirs.requests > 0 {
                mine.kind = theirs.kind;
            }
            mine.requests += theirs.requests;
            mine.lanes += theirs.lanes;
            mine.cost += theirs.cost;
            mine.beyond += theirs.beyond;
        }
        self.branches.executed += other.branches.executed;
        self.branches.divergent += other.branches.divergent;
        self.barriers += other.barriers;
    }

    /// Writes all counts into `trace`.
    pub fn finish(&self, code: &Code, trace: &mut Trace) {
        let mut lines: BTreeMap<u32, LineCounts> = BTreeMap::new();
        for (block, counts) in code.blocks.iter().zip(&self.blocks).filter(|(_, counts)| counts.warps > 0) {
            trace.warp_instructions += counts.warps * u64::from(block.weight);
            trace.lane_ops += counts.lanes * u64::from(block.weight);
            for (line, weight) in &block.lines {
                lines.entry(*line).or_default().warp_instructions += counts.warps * u64::from(*weight);
            }
        }
        for (place, site) in code.places.iter().zip(&self.sites).filter(|(_, site)| site.requests > 0) {
            let line = lines.entry(place.line).or_default();
            if place.mem == Mem::Shared {
                let counts = match site.kind {
                    AccessKind::Load => &mut trace.shared.load,
                    AccessKind::Store => &mut trace.shared.store,
                    AccessKind::Atomic => &mut trace.shared.atomic,
                };
                counts.requests += site.requests;
                counts.wavefronts += site.cost;
                counts.conflicts += site.beyond;
                line.conflicts += site.beyond;
            } else {
                let counts = match site.kind {
                    AccessKind::Load => &mut trace.global.load,
                    AccessKind::Store => &mut trace.global.store,
                    AccessKind::Atomic => &mut trace.global.atomic,
                };
                counts.requests += site.requests;
                counts.sectors += site.cost;
                counts.bytes += site.lanes * u64::from(place.bytes());
                line.sectors += site.cost;
            }
        }
        trace.branches = self.branches;
        trace.barriers = self.barriers;
        trace.lines = lines.into_iter().map(|(line, counts)| LineCounts { line, ..counts }).collect();
    }
}

impl Observer for Counter {
    const ACTIVE: bool = true;

    fn warp(&mut self, _: u32) {}

    #[inline]
    fn block(&mut self, block: u32, mask: u64) {
        let lanes = self.lanes(mask);
        let counts = &mut self.blocks[block as usize];
        counts.warps += 1;
        counts.lanes += lanes;
    }

    #[inline]
    fn access(&mut self, access: &Access<'_>) {
        let lanes = self.lanes(access.mask);
        let site = &mut self.sites[access.site as usize];
        site.kind = access.kind;
        site.requests += 1;
        site.lanes += lanes;
        let space = if access.place.mem == Mem::Shared { Space::Shared } else { Space::Global };
        let (cost, beyond) = site.memo.cost(access, space);
        site.cost += u64::from(cost);
        site.beyond += u64::from(beyond);
    }

    fn branch(&mut self, _: u32, mask: u64, taken: u64) {
        self.branches.executed += 1;
        self.branches.divergent += u64::from(taken != 0 && taken != mask);
    }

    fn barrier(&mut self, _: u32, _: u64) {
        self.barriers += 1;
    }
}
