//! The time that each resource alone would take, as an interval.
//!
//! The tracer runs the source; a device runs compiled code, in which loops are unrolled, loads hoisted and index
//! arithmetic folded. The constants below allow for that. They were fitted to recordings on an H200: `warpbook predict`
//! prints the share of recorded times that lie inside. For other devices they are an estimate.

use super::predict::{Bound, Term, Work};
use super::spec::Figures;
use super::waves::Waves;

/// Bytes of a sector as the tracer counts them.
pub(super) const SECTOR_BYTES: u32 = 32;

/// Share of the traced instructions that are issued, at the high end: compilers fold the rest.
const ISSUED: f64 = 0.4;

/// Cycles per instruction on the critical path, and per dependent instruction, at the low end.
const LOW_CYCLES: [f64; 2] = [0.2, 0.35];

/// The same at the high end. A dependent multiply-add takes 4.5 cycles, but compilers shorten the traced chains.
const HIGH_CYCLES: [f64; 2] = [0.5, 2.0];

/// Loads in flight at the low end: compilers unroll loops and hoist up to this many loads.
const LOADS_IN_FLIGHT: f64 = 5.0;

/// Cycles per barrier, at the low and the high end.
const BARRIER_CYCLES: [f64; 2] = [5.0, 120.0];

/// Cycles to start a launch's first blocks and to drain its last ones, at the high end.
const RAMP_CYCLES: f64 = 2500.0;

/// Factors on the time to start all blocks, at the low and the high end.
const BLOCK_FACTORS: [f64; 2] = [0.8, 1.2];

/// Factors on the time of serialized atomics, at the low and the high end. Below 1, because some compilers combine the
/// lanes of a warp.
const ATOMIC_FACTORS: [f64; 2] = [0.45, 1.3];

/// Sectors of DRAM traffic per sector beyond the required bytes, at the high end: DRAM transfers 64 bytes, two sectors,
/// at a time.
const EXCESS_SECTORS: f64 = 1.9;

/// Factor on DRAM's latency at the high end, for queueing.
const QUEUEING: f64 = 1.1;

/// Factor on L2's latency for repeated loads at the high end: some of them hit in L1.
const REPEATED: f64 = 0.7;

/// Factor on shared memory's latency at the high end, for bank conflicts.
const BANK_CONFLICTS: f64 = 1.4;

/// A device's rates, and how a launch is distributed over its SMs.
pub(super) struct Rates<'a> {
    /// The device's figures.
    pub figures: &'a Figures,
    pub sms: f64,
    /// Cycles a second.
    pub clock: f64,
    /// 32-bit lanes of an SM.
    pub lanes: f64,
    /// Blocks of the busiest SM over the average of all SMs.
    pub imbalance: f64,
    /// Waves, rounded up, over waves.
    pub quantisation: f64,
    /// Waves, rounded up.
    pub rounds: f64,
}

impl<'a> Rates<'a> {
    /// Rates of SMs, clock and lanes per SM, for a launch with these waves.
    pub fn new(figures: &'a Figures, [sms, clock, lanes]: [f64; 3], spread: Option<&Waves>) -> Self {
        let (imbalance, quantisation) = spread.map_or((1.0, 1.0), |w| (w.imbalance, w.quantisation()));
        let rounds = spread.map_or(1.0, |w| w.waves.ceil().max(1.0));
        Self { figures, sms, clock, lanes, imbalance, quantisation, rounds }
    }
}

/// Bytes between the device and its memory, at the rate `peak` and at the rate `reached` of a copy, in bytes a second.
/// None if there are none.
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
pub(super) fn bytes(work: &Work<'_>, rates: &Rates<'_>, [peak, reached]: [f64; 2]) -> Option<Term> {
    let least = work.least_bytes.unwrap_or(0.0);
    let moved = (sectors(work) as f64 * f64::from(SECTOR_BYTES)).max(least);
    // Without a stated need, no sector is known to be excess.
    let excess = if work.least_bytes.is_some() { EXCESS_SECTORS } else { 1.0 };
    let more = (moved - least) * excess;
    let in_cache = work.cached && rates.figures.l2_bytes().is_some_and(|l2| per_launch(work, least) <= l2 as f64);
    (moved > 0.0).then(|| Term {
        of: Bound::Bytes,
        low_s: if in_cache { 0.0 } else { least / peak },
        high_s: (least + more) / reached * rates.quantisation,
    })
}

/// Instructions: the useful operations at the peak rate, and the traced instructions that are issued.
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
pub(super) fn instructions(work: &Work<'_>, rates: &Rates<'_>) -> Term {
    let per_s = rates.sms * rates.lanes * rates.clock;
    let slots = work.trace.warp_instructions as f64 * f64::from(work.launch.warp_lanes);
    // Matrix units are faster than the lanes; if their rate is not known, there is no low end.
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

/// Time to start the blocks of all launches. None if the device's rate is not known.
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
pub(super) fn blocks(work: &Work<'_>, rates: &Rates<'_>) -> Option<Term> {
    let seconds = work.launch.blocks as f64 * work.launches as f64 / rates.figures.block_starts_per_s()?;
    let [low_s, high_s] = BLOCK_FACTORS.map(|factor| factor * seconds);
    Some(Term { of: Bound::Blocks, low_s, high_s })
}

/// Serialized atomics. None if there are none, or the device's rate is not known.
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
pub(super) fn atomics(work: &Work<'_>, rates: &Rates<'_>) -> Option<Term> {
    let turns = work.trace.global.atomic_turns;
    let seconds = turns as f64 / rates.figures.atomic_turns_per_s()?;
    let [low_s, high_s] = ATOMIC_FACTORS.map(|factor| factor * seconds);
    (turns > 0).then_some(Term { of: Bound::Atomics, low_s, high_s })
}

/// The critical path of a workgroup, once per wave. None if the device's latencies are
/// not known.
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
pub(super) fn latency(work: &Work<'_>, rates: &Rates<'_>) -> Option<Term> {
    let [dram, l2, shared] = latencies(rates.figures)?;
    let path = &work.trace.critical;
    let [instructions, chain, global, workgroup, barriers] =
        [path.instructions, path.chain, path.global_waits, path.shared_waits, path.barriers].map(|n| n as f64);
    let moved = sectors(work) as f64 * f64::from(SECTOR_BYTES);
    // The required bytes come from DRAM, repeated loads from a cache.
    let first = if moved > 0.0 { (work.least_bytes.unwrap_or(moved) / moved).min(1.0) } else { 1.0 };
    let high = first * dram * QUEUEING + (1.0 - first) * l2 * REPEATED;
    let low_cycles = (LOW_CYCLES[0] * instructions).max(LOW_CYCLES[1] * chain)
        + global * l2 / LOADS_IN_FLIGHT
        + workgroup * shared / LOADS_IN_FLIGHT
        + barriers * BARRIER_CYCLES[0];
    let high_cycles = HIGH_CYCLES[0] * (instructions - chain).max(0.0)
        + HIGH_CYCLES[1] * chain
        + global * high
        + workgroup * shared * BANK_CONFLICTS
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
