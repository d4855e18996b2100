//! Counts uniform buffers, which a GPU reads through its constant cache: a pass serves all lanes that read one address.

use super::pattern::Pattern;
use super::{Access, Addresses, Observer};
use crate::simt::code::Code;
use crate::simt::lanes::lanes_of;
use crate::trace::Trace;

/// Counts the loads of each site.
#[derive(Clone, Debug)]
pub struct Uniforms {
    sites: Vec<Site>,
}

#[derive(Clone, Debug)]
struct Site {
    requests: u64,
    lanes: u64,
    passes: u64,
    pattern: Pattern,
}

impl Uniforms {
    /// For the sites of `code`.
    pub fn new(code: &Code) -> Self {
        Self { sites: vec![Site { requests: 0, lanes: 0, passes: 0, pattern: Pattern::new() }; code.places.len()] }
    }

    /// Adds the counts of another part of the same run.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.sites.iter_mut().zip(&other.sites) {
            mine.requests += theirs.requests;
            mine.lanes += theirs.lanes;
            mine.passes += theirs.passes;
        }
    }

    /// Writes the counts into `trace`.
    pub fn finish(&self, code: &Code, trace: &mut Trace) {
        let counts = &mut trace.uniform.load;
        for (place, site) in code.places.iter().zip(&self.sites) {
            counts.requests += site.requests;
            counts.passes += site.passes;
            counts.bytes += site.lanes * u64::from(place.bytes());
        }
    }
}

impl Observer for Uniforms {
    const ACTIVE: bool = true;

    fn access(&mut self, access: &Access<'_>) {
        let site = &mut self.sites[access.site as usize];
        site.requests += 1;
        site.lanes += u64::from(access.mask.count_ones());
        // The count depends on the distances between addresses alone.
        site.passes += u64::from(site.pattern.cost(access, |_| 0, passes));
    }
}

/// Bytes that a pass serves an address.
const PASS_BYTES: u32 = 8;

/// One pass where all lanes read one address, whatever its width; else one per distinct address and 8 bytes, as an
/// H100's counters show (`tests/hardware/TABLE.md`).
pub(super) fn passes(access: &Access<'_>) -> u32 {
    if let Addresses::One(_) = access.addresses {
        return 1;
    }
    let mut addresses = [0; 64];
    let mut count = 0;
    for lane in lanes_of(access.mask) {
        addresses[count] = access.addresses.at(lane);
        count += 1;
    }
    let addresses = &mut addresses[..count];
    addresses.sort_unstable();
    let distinct = addresses.chunk_by(|a, b| a == b).fold(0, |n, _| n + 1);
    distinct * access.place.bytes().div_ceil(PASS_BYTES)
}
