//! The state that the warps of a workgroup share besides memory: barriers in shared memory (PTX's `mbarrier`),
//! numbered barriers, and the copy engine's boxes that are on their way.

use super::boxes::Flight;

/// Barriers with a number.
const NAMED: usize = 16;

/// The state of one workgroup.
#[derive(Clone, Debug, Default)]
pub struct Engine {
    /// Barriers in shared memory.
    pub barriers: Vec<Mbarrier>,
    /// Those with a number.
    named: [Named; NAMED],
    /// Boxes on their way, in the order in which they were asked for.
    pub flights: Vec<Flight>,
}

/// A barrier in shared memory: it goes from phase to phase, each when all have arrived and all bytes have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mbarrier {
    /// Where it is in shared memory.
    pub address: u32,
    /// Arrivals that a phase needs.
    pub expected: u32,
    /// Those that the present phase still needs.
    pub missing: u32,
    /// Bytes that it still needs; negative if they came before they were expected.
    pub bytes: i64,
    /// Phases that are complete.
    pub phase: u32,
}

impl Mbarrier {
    pub fn new(address: u32, expected: u32) -> Self {
        Self { address, expected, missing: expected, bytes: 0, phase: 0 }
    }

    /// Takes `count` arrivals; `dropped` of these threads leave the barrier for good. False if fewer were missing.
    pub fn arrive(&mut self, count: u32, dropped: u32) -> bool {
        let fits = count <= self.missing;
        self.missing = self.missing.saturating_sub(count);
        self.expected = self.expected.saturating_sub(dropped);
        self.turn();
        fits
    }

    /// The present phase needs more bytes, or fewer.
    pub fn expect(&mut self, bytes: i64) {
        self.bytes += bytes;
        self.turn();
    }

    fn turn(&mut self) {
        if self.missing == 0 && self.bytes == 0 {
            self.phase = self.phase.wrapping_add(1);
            self.missing = self.expected;
        }
    }

    /// Whether the last phase of this parity is complete: of the present phase's parity none is.
    pub fn is_complete(&self, parity: u32) -> bool {
        self.phase & 1 != parity & 1
    }
}

/// A barrier with a number.
#[derive(Clone, Copy, Debug, Default)]
struct Named {
    /// Threads that have arrived.
    arrived: u32,
    /// How many it waits for.
    wanted: u32,
    /// The warps that wait.
    waiting: u64,
    /// Those that may go on.
    passing: u64,
}

impl Engine {
    /// The barrier at an address.
    pub fn barrier(&mut self, address: u32) -> Option<&mut Mbarrier> {
        self.barriers.iter_mut().find(|barrier| barrier.address == address)
    }

    /// The threads of a warp arrive at barrier `number`, which waits for `wanted` of them; says whether the warp goes on at once, and
    /// whether all have arrived.
    pub fn arrive(&mut self, number: u32, wanted: u32, (warp, waits): (u32, bool)) -> (bool, bool) {
        let Some(named) = self.named.get_mut(number as usize) else { return (true, true) };
        named.arrived += 32;
        named.wanted = wanted;
        named.waiting |= u64::from(waits) << warp;
        if named.arrived < wanted {
            return (!waits, false);
        }
        // All that waited go on, this one now.
        named.passing |= named.waiting & !(1 << warp);
        (named.arrived, named.waiting) = (0, 0);
        (true, true)
    }

    /// Whether a warp that waits at a barrier may go on; it does so now.
    pub fn passes(&mut self, number: u32, warp: u32) -> bool {
        let Some(named) = self.named.get_mut(number as usize) else { return true };
        let passes = named.passing >> warp & 1 == 1;
        named.passing &= !(1 << warp);
        passes
    }

    /// How many threads have arrived at a barrier, and how many it waits for.
    pub fn arrived(&self, number: u32) -> (u32, u32) {
        self.named.get(number as usize).map_or((0, 0), |named| (named.arrived, named.wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_needs_its_arrivals_and_its_bytes() {
        let mut barrier = Mbarrier::new(64, 2);
        assert!(barrier.is_complete(1) && !barrier.is_complete(0));
        assert!(barrier.arrive(1, 0));
        barrier.expect(128);
        assert!(barrier.arrive(1, 0) && !barrier.is_complete(0));
        barrier.expect(-128);
        assert!(barrier.is_complete(0) && !barrier.is_complete(1));
        assert!(!barrier.arrive(3, 0));
    }

    #[test]
    fn a_numbered_barrier_lets_go_of_those_that_wait() {
        let mut engine = Engine::default();
        assert_eq!(engine.arrive(1, 96, (0, true)), (false, false));
        assert_eq!(engine.arrive(1, 96, (1, false)), (true, false));
        assert!(!engine.passes(1, 0));
        assert_eq!(engine.arrived(1), (64, 96));
        assert_eq!(engine.arrive(1, 96, (2, true)), (true, true));
        assert!(engine.passes(1, 0) && !engine.passes(1, 0) && !engine.passes(1, 1));
    }
}
