//! The predicted time of a traced kernel on a device at its best rates: an interval, the resource that bounds it, and
//! the assumptions.
//!
//! The roofline model (Williams, Waterman & Patterson, "Roofline", CACM 52(4), 2009) with two ends, and with terms that
//! the roofline leaves out: the critical path of a workgroup (after Brent, "The parallel evaluation of general
//! arithmetic expressions", JACM 21(2), 1974: work over throughput, plus the path), block starts, and serialized
//! atomics. The low end counts what the *work* needs (each byte once, the useful FLOPs), the high end what the *trace*
//! did (every sector, every wavefront, two fifths of the instructions). A trace does not show how much the caches and
//! the compiler save between the two, so the prediction is an interval.

use serde::Serialize;

use super::assumption::{Assumption, Missing};
use super::occupancy::{Launch, Occupancy, Resource, occupancy};
use super::point::{Point, point};
use super::spec::DeviceSpec;
use super::terms::{self, Rates, SECTOR_BYTES};
use super::waves::{Waves, waves};
use crate::trace::Trace;

/// A traced kernel, and the needs of its work.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
    /// Its launch configuration.
    pub launch: &'a Launch,
    /// The trace of its lanes.
    pub trace: &'a Trace,
    /// Bytes that the work needs to move at least; None if that is not stated.
    pub least_bytes: Option<f64>,
    /// Floating-point operations that the work needs.
    pub least_flops: f64,
    /// The rate that a copy kernel reached on the same device, in bytes a second, if measured.
    pub copy_bytes_per_s: Option<f64>,
    /// The time of all its launches if they were empty, minimum and maximum, in seconds, if measured.
    pub launch_s: Option<[f64; 2]>,
    /// The number of launches.
    pub launches: u64,
    /// Whether its inputs may be in the L2 cache: earlier passes wrote them, or the same buffers are used again.
    pub cached: bool,
    /// Whether the program has no other launch.
    pub is_alone: bool,
    /// Whether it was compiled and is launched by a Vulkan driver.
    pub through_vulkan: bool,
}

impl<'a> Work<'a> {
    /// One launch of a kernel through CUDA, of a program without others, with no stated needs.
    #[must_use]
    pub fn of(launch: &'a Launch, trace: &'a Trace) -> Self {
        Self {
            launch,
            trace,
            least_bytes: None,
            least_flops: 0.0,
            copy_bytes_per_s: None,
            launch_s: None,
            launches: 1,
            cached: false,
            is_alone: true,
            through_vulkan: false,
        }
    }
}

/// A bound of a kernel's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Bytes over the memory bus.
    Bytes,
    /// Sectors of the L2 cache.
    L2,
    /// Sectors of the L1 caches.
    L1,
    /// Products of matrix units.
    Matrix,
    /// Instructions of the lanes.
    Instructions,
    /// Wavefronts of shared memory.
    SharedMemory,
    /// Serialized atomics.
    Atomics,
    /// Block starts.
    Blocks,
    /// The critical path of a workgroup: dependent instructions, waits for memory, barriers.
    Latency,
    Launch,
}

impl Bound {
    /// Its name in a sentence.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "DRAM",
            Self::L2 => "the L2 cache",
            Self::L1 => "the L1 caches",
            Self::Matrix => "matrix units",
            Self::Instructions => "instructions",
            Self::SharedMemory => "shared memory",
            Self::Atomics => "atomics",
            Self::Blocks => "starting blocks",
            Self::Latency => "latency",
            Self::Launch => "the launch",
        }
    }
}

/// The time that one resource alone would take, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Term {
    /// The resource.
    pub of: Bound,
    /// The minimum: for the needs of the work, or the best case of the traced instructions.
    pub low_s: f64,
    /// The maximum: for the whole trace.
    pub high_s: f64,
}

/// A predicted time, in seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Time {
    /// The launch, and the largest low end of the terms.
    pub low_s: f64,
    /// The launch, and the sum of the terms' high ends.
    pub high_s: f64,
    /// The term with the largest high end.
    pub bound: Bound,
    /// The terms that make it up.
    pub terms: Vec<Term>,
}

/// The prediction of the device model for a traced kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The time, if the device's figures suffice.
    pub time: Option<Time>,
    /// The same as one number, if the trace counted what caches serve.
    pub point: Option<Point>,
    /// The blocks and warps that an SM holds at once, if a limit is known.
    pub occupancy: Option<Occupancy>,
    /// The distribution of the grid over the SMs, if their number is known.
    pub waves: Option<Waves>,
    pub assumptions: Vec<Assumption>,
    /// The reasons that there is no time, if there is none.
    pub missing: Vec<Missing>,
}

/// Predicts the time of a traced kernel from the terms in `crate::device::terms`. Low end: the launch plus the largest
/// term. High end: the launch plus all terms, one after the other.
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
    let terms = all_terms(spec, work, spread.as_ref(), &mut missing);
    let time = missing.is_empty().then(|| time(terms, work.launch_s));
    let assumptions = assumptions(spec, work, held.as_ref(), time.as_ref());
    let point = time.as_ref().and_then(|_| point(spec, work, spread.as_ref()));
    Prediction { time, point, occupancy: held, waves: spread, assumptions, missing }
}

/// Each resource's term; figures that are needed but absent go to `missing`.
fn all_terms(spec: &DeviceSpec, work: &Work<'_>, spread: Option<&Waves>, missing: &mut Vec<Missing>) -> Vec<Term> {
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
    let rates = Rates::new(figures, [sms, clock, lanes], spread);
    let mut all = Vec::new();
    if work.trace.global_sectors() > 0 || work.least_bytes.is_some_and(|bytes| bytes > 0.0) {
        let peak = need(figures.dram_bytes_per_s().or(work.copy_bytes_per_s), Missing::Bandwidth);
        all.extend(terms::bytes(work, &rates, [peak, work.copy_bytes_per_s.unwrap_or(peak)]));
    }
    all.push(terms::instructions(work, &rates));
    let shared = &work.trace.shared;
    if [shared.load, shared.store, shared.atomic].iter().any(|counts| counts.wavefronts > 0) {
        let rate = need(figures.shared_wavefronts_per_clock_per_sm().map(f64::from), Missing::SharedRate);
        all.extend(terms::shared_memory(work, &rates, rate));
    }
    all.extend(
        [terms::atomics(work, &rates), terms::blocks(work, &rates), terms::latency(work, &rates)].into_iter().flatten(),
    );
    // A measured copy may be faster than the published peak.
    all.iter_mut().for_each(|term| term.high_s = term.high_s.max(term.low_s));
    all
}

fn time(mut terms: Vec<Term>, launch_s: Option<[f64; 2]>) -> Time {
    terms.extend(launch_s.map(|[low_s, high_s]| Term { of: Bound::Launch, low_s, high_s }));
    let largest = terms.iter().max_by(|a, b| a.high_s.total_cmp(&b.high_s));
    let bound = largest.map_or(Bound::Launch, |term| term.of);
    let body = terms.iter().filter(|term| term.of != Bound::Launch).map(|term| term.low_s).fold(0.0, f64::max);
    let low_s = launch_s.map_or(0.0, |[low, _]| low) + body;
    Time { low_s, high_s: terms.iter().map(|term| term.high_s).sum(), bound, terms }
}

/// The assumptions that matter for this kernel on this device.
fn assumptions(spec: &DeviceSpec, work: &Work<'_>, held: Option<&Occupancy>, time: Option<&Time>) -> Vec<Assumption> {
    let mut taken = Vec::new();
    if let Some(device) = spec.figures.warp_lanes() {
        let traced = work.launch.warp_lanes;
        // The compiler may choose any width between the narrowest and the widest.
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
    taken.extend([Assumption::PeakRates, Assumption::Overlap, Assumption::Compiled]);
    taken.push(terms::latencies(&spec.figures).map_or(Assumption::LatencyHidden, Assumption::Latency));
    if has(Bound::Bytes) {
        taken.push(match work.least_bytes {
            Some(_) => Assumption::LeastBytes,
            None => Assumption::LeastBytesUnknown,
        });
        taken.push(Assumption::EverySector);
        taken.extend(work.copy_bytes_per_s.map(Assumption::MeasuredCopy));
        if spec.figures.sector_bytes() != Some(SECTOR_BYTES) {
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
    if has(Bound::Atomics) {
        taken.push(Assumption::AtomicTurns);
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::super::spec::tests::device;
    use super::*;
    use crate::trace::CriticalPath;

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

    fn of(id: &str, trace: &Trace, (bytes, flops): (f64, f64), launch_s: Option<[f64; 2]>) -> Prediction {
        let work = Work { least_bytes: Some(bytes), least_flops: flops, launch_s, ..Work::of(&LAUNCH, trace) };
        predict(&device(id), &work)
    }

    /// The low and the high end of a resource's term.
    fn ends(found: &Prediction, of: Bound) -> Option<[f64; 2]> {
        let term = found.time.as_ref()?.terms.iter().find(|term| term.of == of)?;
        Some([term.low_s, term.high_s])
    }

    fn close(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() < 1e-9
    }

    #[test]
    fn bytes_bind_a_copy_and_waste_widens_it() {
        // 33.5 MB at 3.35 TB/s is 10 µs; the same number of excess sectors costs 1.9 times that.
        let bytes = |sectors| ends(&of("h100-sxm", &trace(sectors, 1000, 0), (33.5e6, 0.0), None), Bound::Bytes);
        assert!(bytes(1_046_875).is_some_and(|[low, high]| close(low, 10e-6) && close(high, 10e-6)));
        assert!(bytes(2_093_750).is_some_and(|[low, high]| close(low, 10e-6) && close(high, 29e-6)));
        assert_eq!(
            of("h100-sxm", &trace(1_046_875, 1000, 0), (33.5e6, 0.0), None).time.map(|t| t.bound),
            Some(Bound::Bytes)
        );
    }

    #[test]
    fn bytes_of_an_earlier_pass_may_still_be_in_the_cache() {
        let (trace, spec) = (trace(1_046_875, 1000, 0), device("h100-sxm"));
        let low = |bytes, cached| {
            let work = Work { least_bytes: Some(bytes), cached, ..Work::of(&LAUNCH, &trace) };
            ends(&predict(&spec, &work), Bound::Bytes).map(|[low, _]| low)
        };
        // The L2 cache has 50 MiB.
        assert_eq!(low(33.5e6, true), Some(0.0));
        assert!(low(33.5e6, false).is_some_and(|low| close(low, 10e-6)));
        assert!(low(67e6, true).is_some_and(|low| close(low, 20e-6)));
    }

    #[test]
    fn a_measured_copy_is_the_high_ends_rate() {
        let trace = trace(1_046_875, 1000, 0);
        let of = |id: &str| {
            let work = Work { least_bytes: Some(33.5e6), copy_bytes_per_s: Some(2.68e12), ..Work::of(&LAUNCH, &trace) };
            predict(&device(id), &work)
        };
        let found = of("h100-sxm");
        assert!(ends(&found, Bound::Bytes).is_some_and(|[low, high]| close(low, 10e-6) && close(high, 12.5e-6)));
        assert!(found.assumptions.contains(&Assumption::MeasuredCopy(2.68e12)));
        // If the rate is not published, only the measured one is available.
        assert_eq!(of("iris-xe-96").missing, [Missing::Clock]);
    }

    #[test]
    fn instructions_and_shared_memory_at_an_sms_clock() {
        // 132 SMs start 4 warp instructions a clock each, at 1.98 GHz: 1,045.44 a ns, of which 0.4 are left when compiled.
        let busy = of("h100-sxm", &trace(0, 1_045_440, 0), (0.0, 20e6), None);
        let [low, high] = ends(&busy, Bound::Instructions).unwrap_or_default();
        assert!(close(high, 0.4e-6) && (low / 0.3e-6 - 1.0).abs() < 0.01, "{low} {high}");
        // One wavefront a clock an SM: 261.36 a ns.
        let banked = of("h100-sxm", &trace(0, 1000, 261_360), (0.0, 0.0), None);
        assert!(ends(&banked, Bound::SharedMemory).is_some_and(|[low, high]| low == 0.0 && close(high, 1e-6)));
        // Matrix products do not use the lanes.
        let products = Trace { matrix_products: 1, ..trace(0, 1000, 0) };
        let [low, _] = ends(&of("h100-sxm", &products, (0.0, 989.4e6), None), Bound::Instructions).unwrap_or_default();
        assert!((low / 1e-6 - 1.0).abs() < 0.001, "{low}");
    }

    #[test]
    fn idle_sms_and_tails_take_time() {
        let trace = trace(0, 1_045_440, 0);
        let of = |blocks: u64| {
            let launch = Launch { blocks, ..LAUNCH };
            let work = Work { least_flops: 20e6, ..Work::of(&launch, &trace) };
            ends(&predict(&device("h100-sxm"), &work), Bound::Instructions).unwrap_or_default()
        };
        // Half of the SMs have a block: both ends double.
        let ([low, high], [half_low, half_high]) = (of(132), of(66));
        assert!(close(half_high, 2.0 * high) && close(half_low, 2.0 * low));
        // One block beyond a whole wave of 132 x 8: two waves at the high end; the busiest SM has 9 of 1057 blocks at the low end.
        let [tail_low, tail_high] = of(132 * 8 + 1);
        assert!(close(tail_high, 2.0 * high * 1056.0 / 1057.0));
        assert!(close(tail_low, low * 9.0 * 132.0 / 1057.0));
    }

    #[test]
    fn one_warp_that_waits_takes_its_path_and_waves_take_it_again() {
        // A lane that loads 65,536 elements one after another: an interval around the 2,537 µs recorded on an H200.
        let path =
            CriticalPath { instructions: 458_754, chain: 327_682, global_waits: 65_536, ..CriticalPath::default() };
        let trace = Trace { critical: path, ..trace(131_072, 458_754, 0) };
        let of = |blocks: u64| {
            let launch = Launch { blocks, threads_per_block: 1, ..LAUNCH };
            let work = Work { least_bytes: Some(524_288.0), ..Work::of(&launch, &trace) };
            ends(&predict(&device("h200-sxm"), &work), Bound::Latency).unwrap_or_default()
        };
        let [low, high] = of(1);
        assert!(low < 2.537e-3 && 2.537e-3 < high && high < 8.0 * low, "{low} {high}");
        assert_eq!(of(132 * 32), [low, high], "an SM holds 32 blocks");
        let [again_low, again_high] = of(132 * 32 + 1);
        // Its first blocks start once, in 2,500 cycles.
        assert!(again_low == low && close(again_high - high, high - 2500.0 / 1.98e9));
    }

    #[test]
    fn blocks_have_to_be_started_and_atomics_take_turns() {
        let mut trace = trace(0, 1000, 0);
        trace.global.atomic_turns = 1_400_000;
        let launch = Launch { blocks: 1_650_000, ..LAUNCH };
        let found = predict(&device("h100-sxm"), &Work::of(&launch, &trace));
        assert!(ends(&found, Bound::Blocks).is_some_and(|[low, high]| close(low, 0.8e-3) && close(high, 1.2e-3)));
        assert!(ends(&found, Bound::Atomics).is_some_and(|[low, high]| low < 1e-3 && 1e-3 < high));
        assert!(found.assumptions.contains(&Assumption::AtomicTurns));
    }

    #[test]
    fn a_launch_is_added_to_both_ends() -> Result<(), &'static str> {
        let small = trace(1000, 1000, 0);
        let [bare, launched] =
            [None, Some([2e-6, 3e-6])].map(|launch_s| of("h100-sxm", &small, (32_000.0, 0.0), launch_s).time);
        let (bare, launched) = (bare.ok_or("a time")?, launched.ok_or("a time")?);
        assert!(close(launched.low_s, bare.low_s + 2e-6) && close(launched.high_s, bare.high_s + 3e-6));
        assert_eq!(launched.bound, Bound::Launch);
        Ok(())
    }

    #[test]
    fn what_is_missing_is_said_and_not_guessed() {
        let integrated = of("iris-xe-96", &trace(1000, 1000, 0), (32_000.0, 0.0), None);
        assert_eq!(integrated.time, None);
        assert_eq!(integrated.missing, [Missing::Clock, Missing::Bandwidth]);
        assert!(integrated.occupancy.is_some() && integrated.waves.is_some());
        // Apple's figures suffice, except for kernels with shared memory.
        let apple = of("apple-m2", &trace(1000, 1000, 0), (32_000.0, 0.0), None);
        assert!(apple.time.is_some() && apple.assumptions.contains(&Assumption::TracedSectors));
        assert!(apple.assumptions.contains(&Assumption::LatencyHidden));
        assert_eq!(of("apple-m2", &trace(1000, 1000, 5), (32_000.0, 0.0), None).missing, [Missing::SharedRate]);
        // A cancelled trace has no time.
        let part = Trace { complete: false, ..trace(1000, 1000, 0) };
        assert_eq!(of("h100-sxm", &part, (32_000.0, 0.0), None).missing, [Missing::WholeTrace]);
        let huge = Launch { shared_bytes_per_block: 300_000, ..LAUNCH };
        let found = predict(&device("h100-sxm"), &Work::of(&huge, &trace(1000, 1000, 0)));
        assert_eq!(found.missing, [Missing::DoesNotFit]);
    }

    #[test]
    fn assumptions_are_those_that_matter() {
        let taken = of("h100-sxm", &trace(1000, 1000, 0), (32_000.0, 0.0), None).assumptions;
        assert!(taken.contains(&Assumption::RegistersDoNotLimit) && taken.contains(&Assumption::NoLaunch));
        assert!(!taken.contains(&Assumption::EveryWavefront) && !taken.contains(&Assumption::UsefulFlops));
        assert!(taken.contains(&Assumption::Latency([700.0, 290.0, 29.0])));
        assert!(taken.iter().all(|a| a.sentence().ends_with('.')));
        let launch = Launch { warp_lanes: 64, registers_per_thread: Some(32), ..LAUNCH };
        let whole = trace(1000, 1000, 0);
        let work = Work { launch_s: Some([1e-6; 2]), ..Work::of(&launch, &whole) };
        let taken = predict(&device("h100-sxm"), &work).assumptions;
        assert_eq!(taken[0].sentence(), "Counted with warps of 64 lanes, where the device's have 32.");
        assert!(taken.contains(&Assumption::LeastBytesUnknown) && taken.contains(&Assumption::Launch([1e-6; 2])));
        assert!(!taken.contains(&Assumption::RegistersDoNotLimit));
    }
}
