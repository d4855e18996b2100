//! Counts workgroup memory: requests, the passes over its banks that each takes, and those that conflicts add.

use super::pattern::Pattern;
use super::{Access, Addresses, Lines, Observer};
use crate::simt::code::Code;
use crate::simt::ir::{Joined, Width};
use crate::simt::lanes::lanes_of;
use crate::trace::banks::{BANKS, parts, together};
use crate::trace::{AccessKind, Trace};

/// Counts the requests of each site.
#[derive(Clone, Debug)]
pub struct Banks {
    sites: Vec<Site>,
}

#[derive(Clone, Debug)]
struct Site {
    kind: AccessKind,
    requests: u64,
    wavefronts: u64,
    /// Of them, beyond the least possible.
    conflicts: u64,
    pattern: Pattern,
}

impl Banks {
    /// For the sites of `code`.
    pub fn new(code: &Code) -> Self {
        let site = Site { kind: AccessKind::Load, requests: 0, wavefronts: 0, conflicts: 0, pattern: Pattern::new() };
        Self { sites: vec![site; code.places.len()] }
    }

    /// Adds the counts of another part of the same run.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.sites.iter_mut().zip(&other.sites).filter(|(_, theirs)| theirs.requests > 0) {
            mine.kind = theirs.kind;
            mine.requests += theirs.requests;
            mine.wavefronts += theirs.wavefronts;
            mine.conflicts += theirs.conflicts;
        }
    }

    /// Writes the counts into `trace` and `lines`.
    pub fn finish(&self, code: &Code, trace: &mut Trace, lines: &mut Lines) {
        for (place, site) in code.places.iter().zip(&self.sites).filter(|(_, site)| site.requests > 0) {
            let counts = match site.kind {
                AccessKind::Load => &mut trace.shared.load,
                AccessKind::Store => &mut trace.shared.store,
                AccessKind::Atomic => &mut trace.shared.atomic,
            };
            counts.requests += site.requests;
            counts.wavefronts += site.wavefronts;
            counts.conflicts += site.conflicts;
            lines.entry(place.line).or_default().conflicts += site.conflicts;
        }
    }
}

impl Observer for Banks {
    const ACTIVE: bool = true;

    #[inline]
    fn access(&mut self, access: &Access<'_>) {
        let site = &mut self.sites[access.site as usize];
        site.kind = access.kind;
        site.requests += 1;
        // The most common cases in inner loops: one word for all lanes, or one after the other, up to a lane per bank.
        let narrow = access.place.components == 1 && access.place.width == Width::Word && access.mask >> BANKS == 0;
        let at_once = match access.addresses {
            Addresses::One(_) => access.kind != AccessKind::Atomic || access.is_joined(),
            Addresses::Linear { step, .. } => step == 4,
            Addresses::Lanes(_) => false,
        };
        if narrow && at_once {
            site.wavefronts += 1;
            return;
        }
        let wavefronts = site.pattern.cost(access, |first| first % 4 / 2, wavefronts);
        site.wavefronts += u64::from(wavefronts);
        // Served in one go, a request cannot conflict.
        if wavefronts > 1 {
            let least = parts(access.mask, size(access)).count() as u32;
            site.conflicts += u64::from(wavefronts - least.min(wavefronts));
        }
    }
}

/// Lanes that are served together.
fn size(access: &Access<'_>) -> u32 {
    together(access.kind, access.place.bytes(), access.mask, |lane| access.addresses.at(lane))
}

/// Passes over the banks that the lanes take. Of loads and stores, a pass serves a word of each bank to all lanes that
/// want it; of atomics, a lane at each bank.
pub(super) fn wavefronts(access: &Access<'_>) -> u32 {
    if access.is_joined() {
        return 1;
    }
    let take_turns = access.kind == AccessKind::Atomic && access.place.joined != Joined::Counting;
    let each = |part| {
        let mut words = [0; 256];
        let mut count = 0;
        for lane in lanes_of(part) {
            let first = access.addresses.at(lane);
            for word in first / 4..=(first + access.place.bytes() - 1) / 4 {
                words[count] = word;
                count += 1;
            }
        }
        let words = &mut words[..count];
        words.sort_unstable();
        let mut by_bank = [0_u32; BANKS as usize];
        for same in words.chunk_by(|a, b| a == b) {
            by_bank[(same[0] % BANKS) as usize] += if take_turns { same.len() as u32 } else { 1 };
        }
        by_bank.into_iter().max().unwrap_or(0)
    };
    parts(access.mask, size(access)).map(each).sum()
}
