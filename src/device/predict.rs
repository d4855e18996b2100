//! The time that a traced kernel takes on a device at its best rates: an interval, what binds it, and what it takes for granted.
//!
//! The roofline model (Williams, Waterman & Patterson, "Roofline", CACM 52(4), 2009) with two ends. The low end counts what the *work*
//! needs (each byte once, the useful FLOPs), the high end what the *trace* did (every sector, every operation, every wavefront). How
//! much the caches keep of what lies between is not known from a trace, so no single figure is given. Both ends are at the device's best
//! rates: what is left out (latency, DRAM's larger pieces, turns at one word) only adds, so a kernel may well take longer than both.

use serde::{Deserialize, Serialize};

use super::assumption::{Assumption, Missing};
use super::occupancy::{Occupancy, Resource, occupancy};
use super::spec::DeviceSpec;
use super::waves::{Waves, waves};
use crate::trace::Trace;

/// Bytes of a sector as the tracer counts them.
const TRACED_SECTOR_BYTES: u32 = 32;

/// How a kernel is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// Blocks of the grid.
    pub blocks: u64,
    /// Lanes of a block.
    pub threads_per_block: u32,
    /// Shared memory of a block, in bytes.
    pub shared_bytes_per_block: u32,
    /// 32-bit registers of a lane, where a compiler has said.
    pub registers_per_thread: Option<u32>,
    /// Lanes of a traced warp.
    pub warp_lanes: u32,
}

/// A kernel that was traced, and what its work needs.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
    /// How it was launched.
    pub launch: &'a Launch,
    /// What its lanes did.
    pub trace: &'a Trace,
    /// Bytes that the work needs to move at least; none where that is not stated.
    pub least_bytes: Option<f64>,
    /// Floating-point operations that the work needs.
    pub least_flops: f64,
    /// What a copy kernel reached on the same device, in bytes a second, where it was measured.
    pub copy_bytes_per_s: Option<f64>,
    /// An empty launch on the same device, in seconds, where it was measured.
    pub launch_s: Option<f64>,
}

/// What a kernel's time may be bound by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Bytes over the memory bus.
    Bytes,
    /// Instructions of the lanes.
    Instructions,
    /// Wavefronts of shared memory.
    SharedMemory,
    /// Launching it.
    Launch,
}

impl Bound {
    /// As a word in a sentence.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Instructions => "instructions",
            Self::SharedMemory => "shared memory",
            Self::Launch => "the launch",
        }
    }
}

/// The time that one resource alone would take, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Term {
    /// The resource.
    pub of: Bound,
    /// For what the work needs.
    pub low_s: f64,
    /// For what the trace did.
    pub high_s: f64,
}

/// A predicted time, in seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Time {
    /// What the work needs, at the device's peak.
    pub low_s: f64,
    /// What the trace did, with no help from caches and with the waves' tail.
    pub high_s: f64,
    /// What decides the high end.
    pub bound: Bound,
    /// The terms of which it is made.
    pub terms: Vec<Term>,
}

/// What the model of a device says of a traced kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The time, where the device's figures suffice.
    pub time: Option<Time>,
    /// What an SM holds at once, where a limit is known.
    pub occupancy: Option<Occupancy>,
    /// How the grid spreads over the SMs, where their number is known.
    pub waves: Option<Waves>,
    /// What it takes for granted.
    pub assumptions: Vec<Assumption>,
    /// Why there is no time, where there is none.
    pub missing: Vec<Missing>,
}

/// Predicts the time of a traced kernel. With `S` SMs of `L` lanes at clock `f`, memory of bandwidth `B` and peak `P = 2 S L f`:
///
/// - bytes: low `least_bytes / B`, high `32 sectors / C`, of loads, stores and atomics, with `C` what a copy reached, else `B`;
/// - instructions: low `least_flops / P`, high `warp_instructions * warp_lanes / (S L f)`;
/// - shared memory: low 0, high `wavefronts / (S f)` for one wavefront a clock.
///
/// Low end: the largest, instructions taken [`Waves::imbalance`] times. High end: the largest, taken [`Waves::quantisation`] times. A
/// measured launch is a floor to the low end and is added to the high end.
#[must_use]
pub fn predict(spec: &DeviceSpec, work: &Work<'_>) -> Prediction {
    let held = occupancy(spec, work.launch);
    let spread = spec.figures.sms().zip(held.as_ref());
    let spread = spread.and_then(|(sms, held)| waves(work.launch.blocks, sms, held.blocks_per_sm));
    let mut missing = Vec::new();
    if !work.trace.complete {
        missing.push(Missing::WholeTrace);
    }
    if held.as_ref().is_some_and(|held| held.blocks_per_sm == 0) {
        missing.push(Missing::DoesNotFit);
    }
    let terms = terms(spec, work, spread.as_ref(), &mut missing);
    let time = missing.is_empty().then(|| time(terms, work.launch_s));
    let assumptions = assumptions(spec, work, held.as_ref(), time.as_ref());
    Prediction { time, occupancy: held, waves: spread, assumptions, missing }
}

/// Each resource's term; what a needed figure's absence leaves open goes to `missing`.
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
fn terms(spec: &DeviceSpec, work: &Work<'_>, spread: Option<&Waves>, missing: &mut Vec<Missing>) -> Vec<Term> {
    let figures = &spec.figures;
    let mut need = |value: Option<f64>, what: Missing| {
        if value.is_none() && !missing.contains(&what) {
            missing.push(what);
        }
        value.unwrap_or(f64::INFINITY)
    };
    let sms = need(figures.sms().map(f64::from), Missing::Sms);
    let clock = need(figures.boost_clock_hz(), Missing::Clock);
    let lanes = need(figures.fp32_lanes_per_sm().map(f64::from), Missing::Lanes);
    let (imbalance, quantisation) = spread.map_or((1.0, 1.0), |w| (w.imbalance, w.quantisation()));

    let sectors = sectors(work.trace) as f64;
    let least_bytes = work.least_bytes.unwrap_or(0.0);
    let mut terms = Vec::new();
    if sectors > 0.0 || least_bytes > 0.0 {
        let published = figures.dram_bytes_per_s();
        let peak = need(published.or(work.copy_bytes_per_s), Missing::Bandwidth);
        let reached = work.copy_bytes_per_s.unwrap_or(peak);
        let moved = sectors * f64::from(TRACED_SECTOR_BYTES) / reached;
        terms.push(Term { of: Bound::Bytes, low_s: least_bytes / peak, high_s: moved * quantisation });
    }
    let slots_per_s = sms * lanes * clock;
    let slots = work.trace.warp_instructions as f64 * f64::from(work.launch.warp_lanes);
    terms.push(Term {
        of: Bound::Instructions,
        low_s: work.least_flops / (2.0 * slots_per_s) * imbalance,
        high_s: slots / slots_per_s * quantisation,
    });
    let wavefronts = wavefronts(work.trace) as f64;
    if wavefronts > 0.0 {
        let rate = need(figures.shared_wavefronts_per_clock_per_sm().map(f64::from), Missing::SharedRate);
        let high_s = wavefronts / (rate * sms * clock) * quantisation;
        terms.push(Term { of: Bound::SharedMemory, low_s: 0.0, high_s });
    }
    // Where a lesson counts more than was traced, as with a function of many operations, both ends are what it counts.
    terms.iter_mut().for_each(|term| term.high_s = term.high_s.max(term.low_s));
    terms
}

fn time(mut terms: Vec<Term>, launch_s: Option<f64>) -> Time {
    let largest = terms.iter().copied().max_by(|a, b| a.high_s.total_cmp(&b.high_s));
    let (body_s, mut bound) = largest.map_or((0.0, Bound::Launch), |term| (term.high_s, term.of));
    let low_s = terms.iter().map(|term| term.low_s).fold(0.0, f64::max);
    let launch = launch_s.unwrap_or(0.0);
    if launch > body_s {
        bound = Bound::Launch;
    }
    terms.extend(launch_s.map(|seconds| Term { of: Bound::Launch, low_s: seconds, high_s: seconds }));
    Time { low_s: low_s.max(launch), high_s: body_s + launch, bound, terms }
}

fn sectors(trace: &Trace) -> u64 {
    [trace.global.load, trace.global.store, trace.global.atomic].iter().map(|counts| counts.sectors).sum()
}

fn wavefronts(trace: &Trace) -> u64 {
    [trace.shared.load, trace.shared.store, trace.shared.atomic].iter().map(|counts| counts.wavefronts).sum()
}

/// What was taken for granted, of what matters to this kernel on this device.
fn assumptions(spec: &DeviceSpec, work: &Work<'_>, held: Option<&Occupancy>, time: Option<&Time>) -> Vec<Assumption> {
    let mut taken = Vec::new();
    if let Some(device) = spec.figures.warp_lanes() {
        let traced = work.launch.warp_lanes;
        // Widths between the narrowest and the widest are the compiler's to choose.
        if !(device.0..=device.1).contains(&traced) {
            taken.push(Assumption::WarpWidth { traced, device });
        }
    }
    for resource in held.map(|held| held.unknown.as_slice()).unwrap_or_default() {
        let kernel_says_nothing = *resource == Resource::Registers && work.launch.registers_per_thread.is_none();
        taken.push(match kernel_says_nothing {
            true => Assumption::RegistersDoNotLimit,
            false => Assumption::DoesNotLimit(*resource),
        });
    }
    let Some(time) = time else { return taken };
    let has = |of: Bound| time.terms.iter().any(|term| term.of == of);
    taken.extend([Assumption::PeakRates, Assumption::FullOverlap, Assumption::LatencyHidden]);
    if has(Bound::Bytes) {
        taken.push(match work.least_bytes {
            Some(_) => Assumption::LeastBytes,
            None => Assumption::LeastBytesUnknown,
        });
        taken.push(Assumption::EverySector);
        taken.extend(work.copy_bytes_per_s.map(Assumption::MeasuredCopy));
        if spec.figures.sector_bytes() != Some(TRACED_SECTOR_BYTES) {
            taken.push(Assumption::TracedSectors);
        }
    }
    if work.least_flops > 0.0 {
        taken.push(Assumption::UsefulFlops);
    }
    taken.push(Assumption::EveryOperation);
    if has(Bound::SharedMemory) {
        taken.push(Assumption::EveryWavefront);
    }
    taken.push(Assumption::EqualBlocks);
    taken.push(work.launch_s.map_or(Assumption::NoLaunch, Assumption::Launch));
    taken
}

#[cfg(test)]
mod tests {
    use super::super::spec::tests::device;
    use super::*;

    /// 132 blocks of 256 lanes: one an SM on an H100.
    const LAUNCH: Launch = Launch {
        blocks: 132,
        threads_per_block: 256,
        shared_bytes_per_block: 0,
        registers_per_thread: None,
        warp_lanes: 32,
    };

    fn trace(load_sectors: u64, warp_instructions: u64, wavefronts: u64) -> Trace {
        let mut trace = Trace { warp_instructions, complete: true, ..Trace::default() };
        trace.global.load.sectors = load_sectors;
        trace.shared.load.wavefronts = wavefronts;
        trace
    }

    fn of(id: &str, trace: &Trace, least: (f64, f64), launch_s: Option<f64>) -> Prediction {
        let work = Work {
            launch: &LAUNCH,
            trace,
            least_bytes: Some(least.0),
            least_flops: least.1,
            copy_bytes_per_s: None,
            launch_s,
        };
        predict(&device(id), &work)
    }

    fn close(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() < 1e-12
    }

    #[test]
    fn bytes_bind_a_copy_and_waste_widens_it() -> Result<(), &'static str> {
        // 33.5 MB at 3.35 TB/s is 10 µs; twice the sectors are 20.
        let coalesced = of("h100-sxm", &trace(1_046_875, 1000, 0), (33.5e6, 0.0), None).time.ok_or("a time")?;
        assert_eq!(coalesced.bound, Bound::Bytes);
        assert!(close(coalesced.low_s, 10e-6) && close(coalesced.high_s, 10e-6), "{coalesced:?}");
        let strided = of("h100-sxm", &trace(2_093_750, 1000, 0), (33.5e6, 0.0), None).time.ok_or("a time")?;
        assert!(close(strided.low_s, 10e-6) && close(strided.high_s, 20e-6));
        Ok(())
    }

    #[test]
    fn a_measured_copy_is_the_high_ends_rate() -> Result<(), &'static str> {
        let trace = trace(1_046_875, 1000, 0);
        let of = |id: &str| {
            let copy_bytes_per_s = Some(2.68e12);
            let work = Work {
                launch: &LAUNCH,
                trace: &trace,
                least_bytes: Some(33.5e6),
                least_flops: 0.0,
                copy_bytes_per_s,
                launch_s: None,
            };
            predict(&device(id), &work)
        };
        let time = of("h100-sxm").time.ok_or("a time")?;
        assert!(close(time.low_s, 10e-6) && close(time.high_s, 12.5e-6), "{time:?}");
        assert!(of("h100-sxm").assumptions.contains(&Assumption::MeasuredCopy(2.68e12)));
        // Where the rate is not published, the measured one is all there is.
        assert_eq!(of("iris-xe-96").missing, [Missing::Clock]);
        Ok(())
    }

    #[test]
    fn instructions_and_shared_memory_at_an_sms_clock() -> Result<(), &'static str> {
        // 132 SMs start 4 warp instructions a clock each, at 1.98 GHz: 1,045.44 a ns.
        let busy = of("h100-sxm", &trace(0, 1_045_440, 0), (0.0, 66.9e6), None).time.ok_or("a time")?;
        assert_eq!(busy.bound, Bound::Instructions);
        assert!(close(busy.high_s, 1e-6), "{busy:?}");
        assert!((busy.low_s / 1e-6 - 1.0).abs() < 0.002);
        // One wavefront a clock an SM: 261.36 a ns. Four times as slow as the instructions that ask for them.
        let banked = of("h100-sxm", &trace(0, 261_360, 261_360), (0.0, 0.0), None).time.ok_or("a time")?;
        assert_eq!(banked.bound, Bound::SharedMemory);
        assert!(close(banked.high_s, 1e-6) && banked.low_s == 0.0);
        Ok(())
    }

    #[test]
    fn idle_sms_and_tails_take_time() -> Result<(), &'static str> {
        let trace = trace(0, 1_045_440, 0);
        let of = |blocks: u64| {
            let launch = Launch { blocks, ..LAUNCH };
            let work = Work {
                launch: &launch,
                trace: &trace,
                least_bytes: None,
                least_flops: 66.9e6,
                copy_bytes_per_s: None,
                launch_s: None,
            };
            predict(&device("h100-sxm"), &work).time.ok_or("a time")
        };
        // Half of the SMs have a block: both ends double.
        let half = of(66)?;
        assert!(close(half.high_s, 2e-6) && close(half.low_s, 2.0 * of(132)?.low_s));
        // One block beyond a whole wave of 132 x 8: two waves at the high end; the busiest SM has 9 of 1057 blocks at the low end.
        let tail = of(132 * 8 + 1)?;
        assert!(close(tail.high_s, 2e-6 * 1056.0 / 1057.0));
        assert!(close(tail.low_s, of(132)?.low_s * 9.0 * 132.0 / 1057.0));
        Ok(())
    }

    #[test]
    fn a_launch_is_a_floor_and_is_added() -> Result<(), &'static str> {
        let small = trace(1000, 1000, 0);
        let time = of("h100-sxm", &small, (32_000.0, 0.0), Some(2e-6)).time.ok_or("a time")?;
        assert_eq!((time.bound, time.low_s), (Bound::Launch, 2e-6));
        assert!(close(time.high_s, 2e-6 + 32_000.0 / 3.35e12));
        Ok(())
    }

    #[test]
    fn what_is_missing_is_said_and_not_guessed() {
        let integrated = of("iris-xe-96", &trace(1000, 1000, 0), (32_000.0, 0.0), None);
        assert_eq!(integrated.time, None);
        assert_eq!(integrated.missing, [Missing::Clock, Missing::Bandwidth]);
        assert!(integrated.occupancy.is_some() && integrated.waves.is_some());
        // Apple's figures suffice but for kernels with shared memory.
        let apple = of("apple-m2", &trace(1000, 1000, 0), (32_000.0, 0.0), None);
        assert!(apple.time.is_some() && apple.assumptions.contains(&Assumption::TracedSectors));
        assert_eq!(of("apple-m2", &trace(1000, 1000, 5), (32_000.0, 0.0), None).missing, [Missing::SharedRate]);
        // A trace that was called off has no time.
        let part = Trace { complete: false, ..trace(1000, 1000, 0) };
        assert_eq!(of("h100-sxm", &part, (32_000.0, 0.0), None).missing, [Missing::WholeTrace]);
        let huge = Launch { shared_bytes_per_block: 300_000, ..LAUNCH };
        let whole = trace(1000, 1000, 0);
        let work = Work {
            launch: &huge,
            trace: &whole,
            least_bytes: None,
            least_flops: 0.0,
            copy_bytes_per_s: None,
            launch_s: None,
        };
        assert_eq!(predict(&device("h100-sxm"), &work).missing, [Missing::DoesNotFit]);
    }

    #[test]
    fn assumptions_are_those_that_matter() {
        let taken = of("h100-sxm", &trace(1000, 1000, 0), (32_000.0, 0.0), None).assumptions;
        assert!(taken.contains(&Assumption::RegistersDoNotLimit) && taken.contains(&Assumption::NoLaunch));
        assert!(!taken.contains(&Assumption::EveryWavefront) && !taken.contains(&Assumption::UsefulFlops));
        assert!(taken.iter().all(|a| a.sentence().ends_with('.')));
        let launch = Launch { warp_lanes: 64, registers_per_thread: Some(32), ..LAUNCH };
        let whole = trace(1000, 1000, 0);
        let work = Work {
            launch: &launch,
            trace: &whole,
            least_bytes: None,
            least_flops: 0.0,
            copy_bytes_per_s: None,
            launch_s: Some(1e-6),
        };
        let taken = predict(&device("h100-sxm"), &work).assumptions;
        assert_eq!(taken[0].sentence(), "Counted with warps of 64 lanes, where the device's have 32.");
        assert!(taken.contains(&Assumption::LeastBytesUnknown) && taken.contains(&Assumption::Launch(1e-6)));
        assert!(!taken.contains(&Assumption::RegistersDoNotLimit));
    }
}
