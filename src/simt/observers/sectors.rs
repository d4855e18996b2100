//! Counts global memory: requests, and the 32-byte sectors that each touches.

use super::pattern::Pattern;
use super::{Access, Observer, count_lanes, lanes_of};
use crate::simt::code::Code;
use crate::simt::ir::Width;
use crate::trace::{AccessKind, Trace};

use super::counts::Lines;

/// Bytes of a sector.
const SECTOR: u32 = 32;

/// Counts the requests of each site.
#[derive(Clone, Debug)]
pub struct Sectors {
    sites: Vec<Site>,
    /// All lanes of a warp.
    full: u64,
}

#[derive(Clone, Debug)]
struct Site {
    kind: AccessKind,
    requests: u64,
    lanes: u64,
    sectors: u64,
    pattern: Pattern,
}

impl Sectors {
    /// For the sites of `code` and warps of `width` lanes.
    pub fn new(code: &Code, width: u32) -> Self {
        let site = Site { kind: AccessKind::Load, requests: 0, lanes: 0, sectors: 0, pattern: Pattern::new() };
        Self { sites: vec![site; code.places.len()], full: u64::MAX >> (64 - width) }
    }

    /// Adds the counts of another part of the same run.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.sites.iter_mut().zip(&other.sites).filter(|(_, theirs)| theirs.requests > 0) {
            mine.kind = theirs.kind;
            mine.requests += theirs.requests;
            mine.lanes += theirs.lanes;
            mine.sectors += theirs.sectors;
        }
    }

    /// Writes the counts into `trace` and `lines`.
    pub fn finish(&self, code: &Code, trace: &mut Trace, lines: &mut Lines) {
        for (place, site) in code.places.iter().zip(&self.sites).filter(|(_, site)| site.requests > 0) {
            let counts = match site.kind {
                AccessKind::Load => &mut trace.global.load,
                AccessKind::Store => &mut trace.global.store,
                AccessKind::Atomic => &mut trace.global.atomic,
            };
            counts.requests += site.requests;
            counts.sectors += site.sectors;
            counts.bytes += site.lanes * u64::from(place.bytes());
            lines.entry(place.line).or_default().sectors += site.sectors;
        }
    }
}

impl Observer for Sectors {
    const ACTIVE: bool = true;

    #[inline]
    fn access(&mut self, access: &Access<'_>) {
        let site = &mut self.sites[access.site as usize];
        site.kind = access.kind;
        site.requests += 1;
        site.lanes += u64::from(count_lanes(access.mask, self.full));
        // What inner loops do most: one word for all lanes.
        let one = matches!(access.addresses, super::Addresses::One(_)) && access.kind != AccessKind::Atomic;
        site.sectors += if one && access.place.components == 1 && access.place.width == Width::Word {
            1
        } else {
            // The narrowest component takes two bytes.
            u64::from(site.pattern.cost(access, |first| first % SECTOR / 2, count))
        };
    }
}

/// Sectors of 32 bytes that the lanes touch: of loads and stores each once, of atomics each as often as the word in it that most
/// lanes want, since lanes at one word take turns.
pub(super) fn count(access: &Access<'_>) -> u32 {
    if access.kind == AccessKind::Atomic {
        return visits(access);
    }
    let bytes = access.place.bytes();
    let mut touched = [0; 256];
    let mut count = 0;
    for lane in lanes_of(access.mask) {
        let address = access.addresses.at(lane);
        // At most 16 bytes at any word: two sectors.
        for sector in address / SECTOR..=(address + bytes - 1) / SECTOR {
            // Neighbours mostly touch the same.
            if count == 0 || touched[count - 1] != sector {
                touched[count] = sector;
                count += 1;
            }
        }
    }
    distinct(&mut touched[..count])
}

/// What the sectors of an atomic come to, of a word a lane.
fn visits(access: &Access<'_>) -> u32 {
    let mut words = [0; 64];
    let mut count = 0;
    for lane in lanes_of(access.mask) {
        words[count] = access.addresses.at(lane) / 4;
        count += 1;
    }
    let words = &mut words[..count];
    words.sort_unstable();
    let busiest = |sector: &[u32]| sector.chunk_by(|a, b| a == b).map(<[u32]>::len).max().unwrap_or(0) as u32;
    words.chunk_by(|a, b| a / (SECTOR / 4) == b / (SECTOR / 4)).map(busiest).sum()
}

fn distinct(values: &mut [u32]) -> u32 {
    if !values.is_sorted() {
        values.sort_unstable();
    }
    values.chunk_by(|a, b| a == b).fold(0, |n, _| n + 1)
}
