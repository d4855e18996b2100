//! Counts global memory: requests, and the 32-byte sectors that each touches.

use rustc_hash::FxHashMap;

use super::pattern::Pattern;
use super::{Access, Lines, Observer, count_lanes};
use crate::simt::code::Code;
use crate::simt::ir::Width;
use crate::simt::lanes::lanes_of;
use crate::trace::{AccessKind, Trace};

/// Bytes of a sector.
const SECTOR: u32 = 32;

/// Bytes within which atomics are serialized. Fitted to recordings on an H200: with up to 128 counters side by side
/// (512 bytes), the kernels that count experts (`moe`) take 0.4 to 0.9 ns per access to the busiest stretch.
const STRETCH: u32 = 512;

/// Counts the requests of each site.
#[derive(Clone, Debug)]
pub struct Sectors {
    sites: Vec<Site>,
    /// All lanes of a warp.
    full: u64,
    /// Atomic accesses by variable and stretch of 512 bytes.
    turns: FxHashMap<(u16, u32), u64>,
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
        Self { sites: vec![site; code.places.len()], full: u64::MAX >> (64 - width), turns: FxHashMap::default() }
    }

    /// Adds the counts of another part of the same run.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.sites.iter_mut().zip(&other.sites).filter(|(_, theirs)| theirs.requests > 0) {
            mine.kind = theirs.kind;
            mine.requests += theirs.requests;
            mine.lanes += theirs.lanes;
            mine.sectors += theirs.sectors;
        }
        for (place, turns) in &other.turns {
            *self.turns.entry(*place).or_default() += turns;
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
        trace.global.atomic_turns = self.turns.values().copied().max().unwrap_or(0);
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
        if access.kind == AccessKind::Atomic {
            let variable = access.place.variable;
            site.sectors += visits(access, |sector, turns| {
                *self.turns.entry((variable, sector / (STRETCH / SECTOR))).or_default() += turns;
            });
            return;
        }
        // The most common case in inner loops: one word for all lanes.
        let one = matches!(access.addresses, super::Addresses::One(_));
        site.sectors += if one && access.place.components == 1 && access.place.width == Width::Word {
            1
        } else {
            // The narrowest component takes two bytes.
            u64::from(site.pattern.cost(access, |first| first % SECTOR / 2, count))
        };
    }
}

/// Sectors of 32 bytes that the lanes touch: of loads and stores each once, of atomics each as often as the word in it
/// that most lanes want, since lanes at one word take turns.
pub(super) fn count(access: &Access<'_>) -> u32 {
    if access.kind == AccessKind::Atomic {
        return u32::try_from(visits(access, |_, _| ())).unwrap_or(u32::MAX);
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

/// Accesses to the sectors of an atomic of one word per lane; `each` gets every sector and its accesses.
fn visits(access: &Access<'_>, mut each: impl FnMut(u32, u64)) -> u64 {
    let mut words = [0; 64];
    let mut count = 0;
    for lane in lanes_of(access.mask) {
        words[count] = access.addresses.at(lane) / 4;
        count += 1;
    }
    if access.is_joined() {
        count = count.min(1);
    }
    let words = &mut words[..count];
    words.sort_unstable();
    let mut all = 0;
    for sector in words.chunk_by(|a, b| a / (SECTOR / 4) == b / (SECTOR / 4)) {
        let turns = sector.chunk_by(|a, b| a == b).map(<[u32]>::len).max().unwrap_or(0) as u64;
        each(sector[0] / (SECTOR / 4), turns);
        all += turns;
    }
    all
}

fn distinct(values: &mut [u32]) -> u32 {
    if !values.is_sorted() {
        values.sort_unstable();
    }
    values.chunk_by(|a, b| a == b).fold(0, |n, _| n + 1)
}
