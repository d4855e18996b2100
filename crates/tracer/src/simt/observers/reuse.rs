//! Counts the different sectors that each workgroup loads from buffers: what it loads beyond them, it has loaded before.

use rustc_hash::FxHashMap;

use super::sectors::SECTOR;
use super::{Access, Addresses, Observer};
use crate::simt::lanes::lanes_of;
use crate::trace::{AccessKind, Trace};

/// Words of 64 sectors in a stretch of a buffer (128 KiB): memory is taken for the stretches that a workgroup loads from.
const WORDS: u32 = 64;

/// Counts the different sectors that workgroups load.
#[derive(Clone, Debug, Default)]
pub struct Reuse {
    loaded: Loaded,
    /// Of the workgroups so far.
    different: u64,
}

/// The sectors that the present workgroup has loaded.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// By variable and stretch, the place of its first word.
    stretches: FxHashMap<(u16, u32), usize>,
    /// A bit for each sector.
    words: Vec<u64>,
    /// By variable, the last stretch and its place: an access mostly goes to the same.
    last: Vec<Option<(u32, usize)>>,
}

impl Reuse {
    /// Adds the counts of another part of the same run.
    pub fn add(&mut self, other: &Self) {
        self.different += other.different;
    }

    /// Writes the bytes of sectors that were loaded again into `trace`, which has its loads already.
    pub fn finish(&self, trace: &mut Trace) {
        let again = trace.global.load.sectors.saturating_sub(self.different);
        trace.global.l1_reuse_bytes = again * u64::from(SECTOR);
    }

    /// Takes out what a workgroup that is paused has loaded.
    pub fn suspend(&mut self) -> Loaded {
        std::mem::take(&mut self.loaded)
    }

    /// Puts it back when the workgroup goes on.
    pub fn resume(&mut self, loaded: Loaded) {
        self.loaded = loaded;
    }
}

impl Observer for Reuse {
    const ACTIVE: bool = true;

    #[inline]
    fn access(&mut self, access: &Access<'_>) {
        if access.kind != AccessKind::Load {
            return;
        }
        let (variable, bytes) = (access.place.variable, access.place.bytes());
        let first = access.addresses.at(access.mask.trailing_zeros());
        let lanes = access.mask >> access.mask.trailing_zeros();
        self.different += match access.addresses {
            Addresses::One(address) => self.loaded.insert(variable, address, address + (bytes - 1)),
            // Neighbours without a gap.
            Addresses::Linear { step, .. } if step <= SECTOR && lanes & lanes.wrapping_add(1) == 0 => {
                let start = first + step * (lanes.count_ones() - 1);
                self.loaded.insert(variable, first, start + (bytes - 1))
            }
            _ => {
                let starts = lanes_of(access.mask).map(|lane| access.addresses.at(lane));
                self.loaded.insert_each(variable, starts.map(|start| (start, start + (bytes - 1))))
            }
        };
    }

    fn done(&mut self) {
        self.loaded.stretches.clear();
        self.loaded.words.clear();
        self.loaded.last.clear();
    }
}

impl Loaded {
    /// Notes the sectors from one byte to another; the number of those that are new.
    #[inline]
    fn insert(&mut self, variable: u16, first: u32, last: u32) -> u64 {
        let (mut sector, last) = (first / SECTOR, last / SECTOR);
        let mut new = 0;
        while sector <= last {
            let word = sector / u64::BITS;
            let count = last.min(word * u64::BITS + u64::BITS - 1) - sector + 1;
            let bits = u64::MAX >> (u64::BITS - count) << (sector % u64::BITS);
            let place = self.stretch(variable, word / WORDS) + (word % WORDS) as usize;
            new += u64::from((bits & !self.words[place]).count_ones());
            self.words[place] |= bits;
            sector += count;
        }
        new
    }

    /// The same for each of several lanes.
    fn insert_each(&mut self, variable: u16, lanes: impl Iterator<Item = (u32, u32)>) -> u64 {
        let (mut stretch, mut place) = (u32::MAX, 0);
        let mut new = 0;
        for (first, last) in lanes {
            for sector in first / SECTOR..=last / SECTOR {
                let word = sector / u64::BITS;
                if word / WORDS != stretch {
                    stretch = word / WORDS;
                    place = self.stretch(variable, stretch);
                }
                let word = &mut self.words[place + (word % WORDS) as usize];
                let bit = 1 << (sector % u64::BITS);
                new += u64::from(*word & bit == 0);
                *word |= bit;
            }
        }
        new
    }

    /// The place of a stretch's first word.
    #[inline]
    fn stretch(&mut self, variable: u16, stretch: u32) -> usize {
        if let Some(Some((last, place))) = self.last.get(usize::from(variable))
            && *last == stretch
        {
            return *place;
        }
        let place = *self.stretches.entry((variable, stretch)).or_insert(self.words.len());
        if place == self.words.len() {
            self.words.resize(place + WORDS as usize, 0);
        }
        if self.last.len() <= usize::from(variable) {
            self.last.resize(usize::from(variable) + 1, None);
        }
        self.last[usize::from(variable)] = Some((stretch, place));
        place
    }
}
