//! All counts at once, in the units of hardware counters: the observers that count, side by side.

use super::banks::Banks;
use super::critical::{Critical, Suspended};
use super::divergence::Divergence;
use super::profile::Profile;
use super::sectors::Sectors;
use super::uniforms::Uniforms;
use super::{Access, Lines, Observer, Phase};
use crate::simt::code::Code;
use crate::simt::ir::Orders;
use crate::trace::{LineCounts, Space, Trace};

/// Counts what warps do.
#[derive(Clone, Debug)]
pub struct Counter {
    profile: Profile,
    sectors: Sectors,
    banks: Banks,
    uniforms: Uniforms,
    divergence: Divergence,
    critical: Critical,
    barriers: u64,
}

impl Counter {
    /// A counter for warps of `width` lanes.
    pub fn new(code: &Code, width: u32) -> Self {
        Self {
            profile: Profile::new(code, width),
            sectors: Sectors::new(code, width),
            banks: Banks::new(code),
            uniforms: Uniforms::new(code),
            divergence: Divergence::default(),
            critical: Critical::new(code),
            barriers: 0,
        }
    }

    /// Adds the counts of another part of the same run.
    pub fn add(&mut self, other: &Self) {
        self.profile.add(&other.profile);
        self.sectors.add(&other.sectors);
        self.banks.add(&other.banks);
        self.uniforms.add(&other.uniforms);
        self.divergence.add(&other.divergence);
        self.critical.add(&other.critical);
        self.barriers += other.barriers;
    }

    /// Writes all counts into `trace`.
    pub fn finish(&self, code: &Code, trace: &mut Trace) {
        let mut lines = Lines::new();
        self.profile.finish(code, trace, &mut lines);
        self.sectors.finish(code, trace, &mut lines);
        self.banks.finish(code, trace, &mut lines);
        self.uniforms.finish(code, trace);
        self.divergence.finish(trace, &mut lines);
        self.critical.finish(trace);
        trace.barriers = self.barriers;
        trace.lines = lines.into_iter().map(|(line, counts)| LineCounts { line, ..counts }).collect();
    }
}

impl Counter {
    /// Takes out the critical path of a workgroup that is paused, before another one is counted.
    pub fn suspend(&mut self) -> Suspended {
        self.critical.suspend()
    }

    /// Puts back the critical path of a workgroup that goes on.
    pub fn resume(&mut self, path: Suspended) {
        self.critical.resume(path);
    }
}

impl Observer for Counter {
    const ACTIVE: bool = true;

    #[inline]
    fn block(&mut self, block: u32, mask: u64) {
        self.profile.block(block, mask);
        self.critical.block(block, mask);
    }

    fn warp(&mut self, warp: u32) {
        self.critical.warp(warp);
    }

    fn release(&mut self, orders: Orders) {
        self.critical.release(orders);
    }

    fn done(&mut self) {
        self.critical.done();
    }

    #[inline]
    fn access(&mut self, access: &Access<'_>) {
        match access.place.space {
            Space::Shared => self.banks.access(access),
            Space::Uniform => self.uniforms.access(access),
            Space::Global => self.sectors.access(access),
        }
    }

    fn later(&mut self, access: &Access<'_>, phase: Phase) {
        if phase == (Phase::Begins { counted: true }) {
            self.access(access);
        }
    }

    fn branch(&mut self, line: u32, mask: u64, taken: u64) {
        self.divergence.branch(line, mask, taken);
    }

    fn barrier(&mut self, _: u32, _: u64) {
        self.barriers += 1;
    }
}
