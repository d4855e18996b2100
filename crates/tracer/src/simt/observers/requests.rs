//! The requests of workgroups that go past their L1 cache, for the caches behind it.
//!
//! A workgroup has an L1 of its own here: its share of its SM's, so that the counts depend on no order of workgroups.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::{Access, Addresses, Observer};
use crate::simt::cache::Cache;
use crate::simt::lanes::lanes_of;
use crate::trace::{AccessKind, Space};

/// Bytes of a sector.
const SECTOR: u32 = 32;

/// Sectors of stores that are on their way at once, and stores to a sector that become one request. Fitted to an H200's counters: a warp that
/// stores to one sector again and again makes a request of each four.
const COMBINES: usize = 4;
const COMBINED: u32 = 4;
const NONE: [(u32, u32); COMBINES] = [(u32::MAX, 0); COMBINES];

/// A request to the L2 cache: a sector, the kind of the access, and its place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request(u32, u32);

impl Request {
    fn new(sector: u32, access: &Access<'_>) -> Self {
        Self(sector << 2 | access.kind as u32, access.site)
    }

    /// The number of the access's place.
    #[must_use]
    pub fn site(self) -> usize {
        self.1 as usize
    }

    /// The sector, from the start of memory.
    #[must_use]
    pub fn sector(self) -> u32 {
        self.0 >> 2
    }

    /// The kind of the access.
    #[must_use]
    pub fn kind(self) -> AccessKind {
        [AccessKind::Load, AccessKind::Store, AccessKind::Atomic][(self.0 & 3) as usize % 3]
    }
}

/// The loads that hit and missed L1, and the requests to L2.
#[derive(Debug, Default)]
pub struct Requests {
    /// Sectors of loads that were in the L1 cache.
    pub l1_hits: u64,
    /// The same by the number of the access's place.
    pub l1_hits_at: Vec<u64>,
    /// Sectors of loads that were not.
    pub l1_misses: u64,
    /// Workgroups that ran.
    pub workgroups: u64,
    /// By workgroup, the requests that went past L1, in their order.
    pub streams: BTreeMap<u64, Vec<Request>>,
}

/// The requests of all workgroups of a run.
pub struct Requested<'a> {
    /// The first sector of each binding's buffer.
    bases: &'a [u32],
    /// Bytes of L1 that a workgroup has.
    l1_bytes: u64,
    all: Mutex<Requests>,
}

impl<'a> Requested<'a> {
    /// Nothing yet.
    pub fn new(bases: &'a [u32], l1_bytes: u64) -> Self {
        Self { bases, l1_bytes, all: Mutex::default() }
    }

    /// The requests.
    pub fn finish(self) -> Requests {
        let all = self.all.into_inner().unwrap_or_else(PoisonError::into_inner);
        Requests { workgroups: all.streams.len() as u64, ..all }
    }
}

/// The requests of some workgroups, one after the other.
pub struct Requesting<'a> {
    of: &'a Requested<'a>,
    l1: Cache,
    workgroup: u64,
    mine: Requests,
    /// The last sectors that were stored to, each with the stores that became one request.
    stored: [(u32, u32); COMBINES],
    next: usize,
}

impl<'a> Requesting<'a> {
    /// An observer for workgroups of a run.
    pub fn new(of: &'a Requested<'a>) -> Self {
        Self { of, l1: Cache::new(of.l1_bytes), workgroup: 0, mine: Requests::default(), stored: NONE, next: 0 }
    }

    /// A workgroup begins, or goes on.
    pub fn start(&mut self, linear: u64) {
        self.mine.streams.entry(linear).or_default();
        self.l1.clear();
        self.stored = NONE;
        self.workgroup = linear;
    }

    /// Hands over the requests of a workgroup that ended or waits.
    pub fn leave(&mut self) {
        let mut all = self.of.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.l1_hits += self.mine.l1_hits;
        let places = all.l1_hits_at.len().max(self.mine.l1_hits_at.len());
        all.l1_hits_at.resize(places, 0);
        all.l1_hits_at.iter_mut().zip(&self.mine.l1_hits_at).for_each(|(sum, hits)| *sum += hits);
        all.l1_misses += self.mine.l1_misses;
        for (workgroup, stream) in std::mem::take(&mut self.mine).streams {
            all.streams.entry(workgroup).or_default().extend(stream);
        }
    }

    /// Whether a store joins an earlier one to the same sector, on its way to L2.
    fn combines(&mut self, sector: u32) -> bool {
        if let Some((_, stores)) = self.stored.iter_mut().find(|(of, stores)| *of == sector && *stores < COMBINED) {
            *stores += 1;
            return true;
        }
        self.stored[self.next] = (sector, 1);
        self.next = (self.next + 1) % COMBINES;
        false
    }

    fn sector(&mut self, sector: u32, access: &Access<'_>) {
        // The copy engine reads past L1.
        if access.kind == AccessKind::Load && access.actor.is_none() {
            if self.l1.load(sector, 1).hit {
                self.mine.l1_hits += 1;
                let site = access.site as usize;
                if self.mine.l1_hits_at.len() <= site {
                    self.mine.l1_hits_at.resize(site + 1, 0);
                }
                self.mine.l1_hits_at[site] += 1;
                return;
            }
            self.mine.l1_misses += 1;
        }
        if access.kind == AccessKind::Store && self.combines(sector) {
            return;
        }
        self.mine.streams.entry(self.workgroup).or_default().push(Request::new(sector, access));
    }
}

impl Observer for Requesting<'_> {
    const ACTIVE: bool = true;

    fn access(&mut self, access: &Access<'_>) {
        if access.place.space != Space::Global {
            return;
        }
        let Some(base) = self.of.bases.get(usize::from(access.place.variable)).copied() else { return };
        let bytes = access.place.bytes();
        let mut seen = [u32::MAX; 256];
        let mut count = 0;
        let lanes = match access.addresses {
            Addresses::One(_) => access.mask & access.mask.wrapping_neg(),
            _ => access.mask,
        };
        for lane in lanes_of(lanes) {
            let address = access.addresses.at(lane);
            for sector in address / SECTOR..=(address + bytes - 1) / SECTOR {
                if count == 0 || seen[count - 1] != sector {
                    seen[count] = sector;
                    count += 1;
                }
            }
        }
        let seen = &mut seen[..count];
        if !seen.is_sorted() {
            seen.sort_unstable();
        }
        let mut last = u32::MAX;
        for sector in seen.iter().copied() {
            if sector != last {
                self.sector(base + sector, access);
                last = sector;
            }
        }
    }
}
