//! What went wrong in a kernel: each line reports each kind once, with its first case.

use std::collections::BTreeMap;

use crate::trace::{Finding, FindingKind};

/// Findings by line and kind, each with the workgroup it was first seen in.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    first: BTreeMap<(u32, FindingKind), (u64, String)>,
    /// The linear index of the workgroup that runs now.
    pub workgroup: u64,
}

impl Findings {
    /// Reports a finding of the present workgroup.
    pub fn report(&mut self, line: u32, kind: FindingKind, message: impl FnOnce() -> String) {
        let seen = self.first.get(&(line, kind)).map(|(workgroup, _)| *workgroup);
        if seen.is_none_or(|seen| self.workgroup < seen) {
            self.first.insert((line, kind), (self.workgroup, message()));
        }
    }

    /// Adds those of another part of the same run: the earliest workgroup's case stays.
    pub fn add(&mut self, other: Self) {
        for (key, (workgroup, message)) in other.first {
            let seen = self.first.get(&key).map(|(workgroup, _)| *workgroup);
            if seen.is_none_or(|seen| workgroup < seen) {
                self.first.insert(key, (workgroup, message));
            }
        }
    }

    /// What was found so far, which is gone from here.
    pub fn take(&mut self) -> Self {
        Self { first: std::mem::take(&mut self.first), workgroup: self.workgroup }
    }

    /// All, by line.
    pub fn into_list(self) -> Vec<Finding> {
        let each = self.first.into_iter().map(|((line, kind), (_, message))| Finding { kind, line, message });
        each.collect()
    }
}
