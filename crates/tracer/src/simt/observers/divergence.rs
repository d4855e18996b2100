//! Counts branches, and those that lanes of a warp disagree about.

use super::{Lines, Observer};
use crate::trace::{BranchCounts, Trace};

/// Counts the branches of a run.
#[derive(Clone, Debug, Default)]
pub struct Divergence {
    branches: BranchCounts,
    /// Divergent branches by source line.
    by_line: Vec<u64>,
}

impl Divergence {
    /// Adds the counts of another part of the same run.
    pub fn add(&mut self, other: &Self) {
        self.branches.executed += other.branches.executed;
        self.branches.divergent += other.branches.divergent;
        for (line, count) in (0..).zip(&other.by_line).filter(|(_, count)| **count > 0) {
            *self.line(line) += count;
        }
    }

    /// Writes the counts into `trace` and `lines`.
    pub fn finish(&self, trace: &mut Trace, lines: &mut Lines) {
        trace.branches = self.branches;
        for (line, count) in (0..).zip(&self.by_line).filter(|(_, count)| **count > 0) {
            lines.entry(line).or_default().divergent += count;
        }
    }

    fn line(&mut self, line: u32) -> &mut u64 {
        let line = line as usize;
        if line >= self.by_line.len() {
            self.by_line.resize(line + 1, 0);
        }
        &mut self.by_line[line]
    }
}

impl Observer for Divergence {
    const ACTIVE: bool = true;

    fn branch(&mut self, line: u32, mask: u64, taken: u64) {
        self.branches.executed += 1;
        if taken != 0 && taken != mask {
            self.branches.divergent += 1;
            *self.line(line) += 1;
        }
    }
}
