//! The time that each resource alone would take, as an interval.
//!
//! What a compiler makes of a kernel is not in a trace of its source: loops are unrolled, loads moved up and index arithmetic folded. The
//! factors below say how much of that is allowed for. They were chosen so that `warpbook predict` finds at least 95 % of the points recorded
//! on an H200 inside; for other devices they are a guess.

use super::predict::{Bound, Term, Work};
use super::spec::Figures;
use super::waves::Waves;

/// Bytes of a sector as the tracer counts them.
pub(super) const SECTOR_BYTES: u32 = 32;

/// Traced instructions that take a slot at the high end: the rest is folded away.
const ISSUED: f64 = 0.4;

/// Cycles of an instruction on the critical path at the low end, and of one that needs the one before it.
const LOW_CYCLES: [f64; 2] = [0.2, 0.35];

/// The same at the high end. A chain of multiply-adds takes 4.5 cycles each, but not all of a traced chain is left when it is compiled.
const HIGH_CYCLES: [f64; 2] = [0.5, 2.0];

/// Loads, one after the other in the source, that a compiler has under way together where it unrolls their loop.
const UNROLLED: f64 = 5.0;

/// Cycles of a barrier at both ends.
const BARRIER_CYCLES: [f64; 2] = [5.0, 120.0];

/// Cycles in which a launch's first blocks start and its last ones drain, at the high end.
const RAMP_CYCLES: f64 = 2500.0;

/// How much slower than at the peak blocks are started, or atomics take turns, at the high end; and how much faster at the low end, where a
/// compiler lets the lanes of a warp add up first.
const STARTS: [f64; 2] = [0.8, 1.2];
const TURNS: [f64; 2] = [0.45, 1.3];

/// What a sector beyond the least costs: DRAM answers in pieces of two, and the other one is mostly wasted.
const WASTED: f64 = 1.9;

/// Of DRAM's latency, what a wait takes at the high end: many requests at once add to it.
const QUEUED: f64 = 1.1;

/// Of the L2 cache's latency, what a value that was fetched before takes at the high end.
const CACHED: f64 = 0.7;

/// Of shared memory's latency, what a wait takes at the high end: bank conflicts add to it.
const SHARED: f64 = 1.4;

/// What is needed of a kernel and a device, with the device's own units.
pub(super) struct Rates<'a> {
    /// The device's figures.
    pub figures: &'a Figures,
    /// SMs.
    pub sms: f64,
    /// Cycles a second.
    pub clock: f64,
    /// 32-bit lanes of an SM.
    pub lanes: f64,
    /// Blocks of the busiest SM over the average's.
    pub imbalance: f64,
    /// Waves over full waves.
    pub quantisation: f64,
    /// Waves, rounded up.
    pub rounds: f64,
}

impl<'a> Rates<'a> {
    /// Of a launch that spreads so.
    pub fn new(figures: &'a Figures, [sms, clock, lanes]: [f64; 3], spread: Option<&Waves>) -> Self {
        let (imbalance, quantisation) = spread.map_or((1.0, 1.0), |w| (w.imbalance, w.quantisation()));
        let rounds = spread.map_or(1.0, |w| w.waves.ceil().max(1.0));
        Self { figures, sms, clock, lanes, imbalance, quantisation, rounds }
    }
}

/// Bytes between the device and its memory, at `peak` and at what a copy `reached`, in bytes a second. None if there are none.
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
pub(super) fn bytes(work: &Work<'_>, rates: &Rates<'_>, [peak, reached]: [f64; 2]) -> Option<Term> {
    let least = work.least_bytes.unwrap_or(0.0);
    let moved = (sectors(work) as f64 * f64::from(SECTOR_BYTES)).max(least);
    let more = (moved - least) * WASTED;
    let in_cache = work.cached && rates.figures.l2_bytes().is_some_and(|l2| per_launch(work, least) <= l2 as f64);
    (moved > 0.0).then(|| Term {
        of: Bound::Bytes,
        low_s: if in_cache { 0.0 } else { least / peak },
        high_s: (least + more) / reached * rates.quantisation,
    })
}

/// Instructions: the useful operations at the peak, and every traced one in a slot.
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
pub(super) fn instructions(work: &Work<'_>, rates: &Rates<'_>) -> Term {
    let per_s = rates.sms * rates.lanes * rates.clock;
    let slots = work.trace.warp_instructions as f64 * f64::from(work.launch.warp_lanes);
    // Matrix units give more than the lanes; where their rate is not known there is no low end.
    let low_s = match work.trace.matrix_products {
        0 => work.least_flops / (2.0 * per_s) * rates.imbalance,
        _ => rates.figures.matrix_flops_per_s().map_or(0.0, |peak| work.least_flops / peak),
    };
    Term { of: Bound::Instructions, low_s, high_s: (ISSUED * slots / per_s * rates.quantisation).max(low_s) }
}

/// Wavefronts of shared memory, `per_clock` of an SM. None if there are none.
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
pub(super) fn shared_memory(work: &Work<'_>, rates: &Rates<'_>, per_clock: f64) -> Option<Term> {
    let wavefronts = wavefronts(work);
    let high_s = wavefronts as f64 / (per_clock * rates.sms * rates.clock) * rates.quantisation;
    (wavefronts > 0).then_some(Term { of: Bound::SharedMemory, low_s: 0.0, high_s })
}

/// Starting the blocks of all launches. None if the device's rate is not known.
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
pub(super) fn blocks(work: &Work<'_>, rates: &Rates<'_>) -> Option<Term> {
    let seconds = work.launch.blocks as f64 * work.launches as f64 / rates.figures.block_starts_per_s()?;
    let [low_s, high_s] = STARTS.map(|factor| factor * seconds);
    Some(Term { of: Bound::Blocks, low_s, high_s })
}

/// Atomics that wait for each other. None if there are none, or the device's rate is not known.
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
pub(super) fn atomics(work: &Work<'_>, rates: &Rates<'_>) -> Option<Term> {
    let turns = work.trace.global.atomic_turns;
    let seconds = turns as f64 / rates.figures.atomic_turns_per_s()?;
    let [low_s, high_s] = TURNS.map(|factor| factor * seconds);
    (turns > 0).then_some(Term { of: Bound::Atomics, low_s, high_s })
}

/// The critical path: what the busiest workgroup does one after the other, as often as there are waves. None if the device's latencies are
/// not known.
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
pub(super) fn latency(work: &Work<'_>, rates: &Rates<'_>) -> Option<Term> {
    let [dram, l2, shared] = latencies(rates.figures)?;
    let path = &work.trace.critical;
    let [instructions, chain, global, workgroup, barriers] =
        [path.instructions, path.chain, path.global_waits, path.shared_waits, path.barriers].map(|n| n as f64);
    let moved = sectors(work) as f64 * f64::from(SECTOR_BYTES);
    // What the work needs comes from DRAM, what is fetched again from a cache: on the average of L1 and L2, not far from L2.
    let first = if moved > 0.0 { (work.least_bytes.unwrap_or(moved) / moved).min(1.0) } else { 1.0 };
    let high = first * dram * QUEUED + (1.0 - first) * l2 * CACHED;
    let low_cycles = (LOW_CYCLES[0] * instructions).max(LOW_CYCLES[1] * chain)
        + global * l2 / UNROLLED
        + workgroup * shared / UNROLLED
        + barriers * BARRIER_CYCLES[0];
    let high_cycles = HIGH_CYCLES[0] * (instructions - chain).max(0.0)
        + HIGH_CYCLES[1] * chain
        + global * high
        + workgroup * shared * SHARED
        + barriers * BARRIER_CYCLES[1];
    let high_cycles = high_cycles * rates.rounds + RAMP_CYCLES * work.launches as f64;
    Some(Term { of: Bound::Latency, low_s: low_cycles / rates.clock, high_s: high_cycles / rates.clock })
}

/// The device's latencies in cycles: DRAM, L2, shared memory.
pub(super) fn latencies(figures: &Figures) -> Option<[f64; 3]> {
    Some([figures.dram_latency_cycles()?, figures.l2_latency_cycles()?, figures.shared_latency_cycles()?])
}

#[expect(clippy::cast_precision_loss, reason = "a count of launches")]
fn per_launch(work: &Work<'_>, all: f64) -> f64 {
    all / work.launches.max(1) as f64
}

fn sectors(work: &Work<'_>) -> u64 {
    let global = &work.trace.global;
    [global.load, global.store, global.atomic].iter().map(|counts| counts.sectors).sum()
}

fn wavefronts(work: &Work<'_>) -> u64 {
    let shared = &work.trace.shared;
    [shared.load, shared.store, shared.atomic].iter().map(|counts| counts.wavefronts).sum()
}
