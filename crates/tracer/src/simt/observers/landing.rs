//! Finds accesses to shared memory that an asynchronous operation has not done with: reads of what a copy is on its way
//! to, and writes to what is still being read.

use super::known::Known;
use super::names::name;
use super::{Access, Findings};
use crate::simt::ir::{Mem, Variable};
use crate::simt::lanes::lanes_of;
use crate::trace::{AccessKind, FindingKind};

/// Operations on a part of shared memory.
#[derive(Clone, Copy, Default)]
struct Pending {
    count: u16,
    /// The line of the last.
    line: u32,
}

/// Parts of shared memory with such operations.
#[derive(Default)]
struct Parts {
    /// By part; empty until there is an operation.
    all: Vec<Pending>,
    /// Parts that have one.
    open: u32,
}

impl Parts {
    fn clear(&mut self) {
        if self.open > 0 {
            self.all.fill(Pending::default());
            self.open = 0;
        }
    }

    fn begin(&mut self, part: usize, line: u32) {
        let Some(pending) = self.all.get_mut(part) else { return };
        self.open += u32::from(pending.count == 0);
        *pending = Pending { count: pending.count.saturating_add(1), line };
    }

    fn end(&mut self, part: usize) {
        let Some(pending) = self.all.get_mut(part).filter(|pending| pending.count > 0) else { return };
        pending.count -= 1;
        self.open -= u32::from(pending.count == 0);
    }
}

/// Watches one workgroup at a time.
pub(super) struct Landing<'a> {
    variables: &'a [Variable],
    coming: Parts,
    reading: Parts,
    /// Parts altogether.
    size: usize,
    /// Bytes of a part.
    grain: u32,
}

impl<'a> Landing<'a> {
    pub fn new(known: Known<'a>) -> Self {
        let size = known.shared_bytes.div_ceil(known.grain) as usize;
        let (coming, reading) = (Parts::default(), Parts::default());
        Self { variables: known.variables, coming, reading, size, grain: known.grain }
    }

    /// A workgroup begins.
    pub fn start(&mut self) {
        self.coming.clear();
        self.reading.clear();
    }

    /// Copies begin.
    pub fn begin(&mut self, access: &Access<'_>) {
        self.coming.all.resize(self.size, Pending::default());
        parts(access, self.grain).for_each(|(_, part)| self.coming.begin(part, access.place.line));
    }

    /// They land.
    pub fn land(&mut self, access: &Access<'_>) {
        parts(access, self.grain).for_each(|(_, part)| self.coming.end(part));
    }

    /// Reads begin.
    pub fn reads(&mut self, access: &Access<'_>) {
        self.reading.all.resize(self.size, Pending::default());
        parts(access, self.grain).for_each(|(_, part)| self.reading.begin(part, access.place.line));
    }

    /// They end.
    pub fn has_read(&mut self, access: &Access<'_>) {
        parts(access, self.grain).for_each(|(_, part)| self.reading.end(part));
    }

    /// A warp whose first lane has local index `first` accesses memory; says whether it meets an operation that has not
    /// ended.
    pub fn access(&self, access: &Access<'_>, first: u32, findings: &mut Findings) -> bool {
        let reads = access.kind != AccessKind::Store;
        let pending = if reads { &self.coming } else { &self.reading };
        if pending.open == 0 || access.place.mem != Mem::Shared {
            return false;
        }
        let Some((lane, part)) = parts(access, self.grain).find(|(_, part)| pending.all[*part].count > 0) else {
            return false;
        };
        let (workgroup, begun) = (findings.workgroup, pending.all[part].line);
        let lane = first + access.actor.unwrap_or(lane);
        let kind = if reads { FindingKind::EarlyRead } else { FindingKind::Race };
        findings.report(access.place.line, kind, || {
            let name = name(access.place, part as u32 * self.grain, self.variables);
            if reads {
                format!(
                    "local index {lane} of workgroup {workgroup} reads {name} before an asynchronous copy to it has landed: it \
                     was begun at line {begun}, and has not been waited for"
                )
            } else {
                format!(
                    "local index {lane} of workgroup {workgroup} writes {name} while an asynchronous operation may read it: it \
                     was begun at line {begun}, and has not been waited for"
                )
            }
        });
        true
    }
}

/// The parts of `grain` bytes that an access touches, with their lanes.
fn parts<'a>(access: &'a Access<'_>, grain: u32) -> impl Iterator<Item = (u32, usize)> + use<'a> {
    let (bytes, addresses) = (access.place.bytes(), access.addresses);
    lanes_of(access.mask).flat_map(move |lane| {
        let first = addresses.at(lane) / grain;
        (first..first + bytes / grain).map(move |part| (lane, part as usize))
    })
}
