//! The predicted time of a traced kernel as one number, what it is made of, and how far off it may be.
//!
//! Each resource has a time of its own: what the caches' trace says that DRAM, L2 and L1 serve, instructions, wavefronts of shared
//! memory, atomics, block starts, matrix units, and the critical path once per wave. They overlap partly, so the whole is a norm of them:
//! `(Σ tᵖ)^(1/p)`, between their maximum (p = ∞, the roofline of Williams, Waterman & Patterson, CACM 52(4), 2009) and their sum (p = 1).
//! The constants were fitted to those points recorded on an H200 whose key has an even hash (`is_fitted`); the others say how far off a
//! prediction is. `warpbook predict` prints both.

#![expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]

use serde::Serialize;

use super::predict::{Bound, Work};
use super::spec::{DeviceSpec, Figures};
use super::terms;
use super::waves::Waves;
use crate::base::units::{self, number, si};
use crate::trace::{CacheCounts, Trace};

/// Bytes of a sector.
const SECTOR: f64 = 32.0;

/// Counts that add less than this share to a part are not said.
const LEAST_SHARE: f64 = 0.02;

/// The share of L2 that holds what was stored.
const DIRTY: f64 = 0.75;

/// The constants that were fitted. Times of a resource are multiplied by its own.
mod fitted {
    use super::Bound;

    /// A launch in a CUDA graph, over an empty one; one through Vulkan alone and among others, over the device's figures.
    pub const LAUNCH: [f64; 3] = [0.979, 0.834, 1.6];
    /// Seconds between a launch's first block and the first instruction, and from the last one to its end, together.
    pub const RAMP_S: f64 = 0.558e-6;
    /// Bytes that DRAM loads and, as far as they leave L2 before the end, stores, at a copy's rate.
    pub const DRAM: [f64; 2] = [0.863, 0.509];
    /// Bytes that L2 gives and takes, at a copy's rate.
    pub const L2: [f64; 2] = [0.5, 1.53];
    /// Sectors of loads, four in a clock of an SM.
    pub const L1: f64 = 4.06;
    /// Traced instructions, four in a clock of an SM: compiled by NVRTC, and by Vulkan's driver.
    pub const ISSUE: [f64; 2] = [0.171, 0.22];
    /// Useful operations at the lanes' peak, and at that of matrix units.
    pub const FLOPS: [f64; 2] = [1.59, 1.0];
    /// Wavefronts of shared memory, one in a clock of an SM.
    pub const SHARED: f64 = 1.02;
    /// Atomics that take turns.
    pub const ATOMICS: f64 = 1.09;
    /// Block starts.
    pub const BLOCKS: f64 = 1.06;
    /// Cycles of an instruction on the critical path, and of a dependent one.
    pub const PATH: [f64; 2] = [0.182, 0.00307];
    /// Waits of a chase, and the first other wait after a barrier.
    pub const ALONE: [f64; 2] = [1.1, 1.1];
    /// The other waits, of NVRTC's code and of Vulkan's: loads of several rounds of a loop are in flight together.
    pub const TOGETHER: [f64; 2] = [0.793, 0.833];
    /// Cycles of a chase's wait for a sector in L1, in L2 and in DRAM, over shared memory's, L2's and DRAM's latency.
    pub const CHASED: [f64; 3] = [1.2, 0.921, 1.0];
    /// The same of other waits.
    pub const LATENCY: [f64; 3] = [3.15, 0.237, 1.0];
    /// Waits for shared memory.
    pub const SHARED_WAITS: f64 = 0.00618;
    /// Cycles of a word of shared memory that Vulkan's code sets to 0 before a workgroup begins.
    pub const ZEROED: f64 = 1.43;
    /// Cycles of a barrier.
    pub const BARRIER: f64 = 238.0;
    /// The power of the norm.
    pub const POWER: f64 = 2.34;
    /// The ends between which nine of ten recorded times lay that the fit had not seen, over the predicted time, by what bounds it.
    pub const fn ends(bound: Bound) -> [f64; 2] {
        match bound {
            Bound::Bytes => [0.44, 1.13],
            Bound::L2 => [0.72, 1.50],
            Bound::L1 => [0.56, 1.35],
            Bound::Instructions => [0.65, 1.47],
            Bound::SharedMemory => [0.61, 1.82],
            Bound::Atomics => [0.57, 1.51],
            Bound::Blocks => [0.92, 1.24],
            Bound::Latency => [0.66, 2.48],
            Bound::Launch => [0.81, 2.03],
            // Of all: too few recorded times were bound by them.
            Bound::Matrix => [0.65, 1.80],
        }
    }
}

/// A predicted time in seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// The time.
    pub point_s: f64,
    /// The ends between which nine of ten recorded times lay that the fit had not seen.
    pub likely_s: [f64; 2],
    /// The launch, and the times that the resources would take alone, the longest first. They overlap, so their sum is more.
    pub parts: Vec<Part>,
}

impl Point {
    /// The time, its ends, what bounds it and what would be next.
    #[must_use]
    pub fn words(&self) -> String {
        let [low, high] = self.likely_s.map(|end| si(end, "s"));
        let names: Vec<String> =
            self.parts.iter().take(2).map(|part| format!("{} ({})", part.of.name(), si(part.seconds, "s"))).collect();
        let next = names.get(1).map_or_else(String::new, |next| format!(", then {next}"));
        let bound = names.first().map_or_else(String::new, |first| format!("; bound by {first}{next}"));
        format!("{}, 9 of 10 times {low} to {high}{bound}", si(self.point_s, "s"))
    }
}

impl Point {
    /// The time without the launch.
    #[must_use]
    pub fn busy_s(&self) -> f64 {
        let launch = self.parts.iter().find(|part| part.of == Bound::Launch);
        self.point_s - launch.map_or(0.0, |part| part.seconds)
    }

    /// The time of this and of what runs after it. The ends are added, too: errors of one program's passes often have one cause.
    #[must_use]
    pub fn then(mut self, next: Self) -> Self {
        for part in next.parts {
            match self.parts.iter_mut().find(|sum| sum.of == part.of) {
                Some(sum) => sum.seconds += part.seconds,
                None => self.parts.push(part),
            }
        }
        self.parts.iter_mut().for_each(|part| part.costs.clear());
        self.parts.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        self.likely_s = [0, 1].map(|end: usize| self.likely_s[end] + next.likely_s[end]);
        self.point_s += next.point_s;
        self
    }
}

/// A part of a predicted time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// The resource.
    pub of: Bound,
    /// In seconds.
    pub seconds: f64,
    /// The counts that it is the sum of; empty for several passes.
    #[serde(skip)]
    pub costs: Vec<Cost>,
}

impl Part {
    fn of(of: Bound, costs: impl IntoIterator<Item = Cost>) -> Self {
        let costs: Vec<Cost> = costs.into_iter().filter(|cost| cost.seconds() > 0.0).collect();
        Self { of, seconds: costs.iter().map(Cost::seconds).sum(), costs }
    }

    /// Its counts with what one of them takes, in words; `…` for those that add next to nothing.
    #[must_use]
    pub fn words(&self) -> String {
        let (told, rest): (Vec<&Cost>, Vec<&Cost>) =
            self.costs.iter().partition(|cost| cost.seconds() >= LEAST_SHARE * self.seconds);
        let mut words: Vec<String> = told.into_iter().map(Cost::words).collect();
        words.extend((!rest.is_empty()).then(|| "…".to_owned()));
        words.join(" + ")
    }
}

/// A count of a trace, and what one of it adds to a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The number of bytes or things.
    pub count: f64,
    /// One of them: `a block`; or where bytes come from, `B from DRAM`.
    pub of: &'static str,
    /// Seconds for one.
    pub each_s: f64,
}

impl Cost {
    fn seconds(&self) -> f64 {
        self.count * self.each_s
    }

    fn words(&self) -> String {
        match self.of.strip_prefix("B ") {
            Some(of) => format!("{} {of} at {}", si(self.count, "B"), si(self.each_s.recip(), "B/s")),
            None if self.count == 1.0 => format!("{} for {}", si(self.each_s, "s"), self.of),
            None => format!("{} × {} for {}", number(self.count), si(self.each_s, "s"), self.of),
        }
    }
}

/// The predicted time of a traced kernel. None if the trace has no counts of caches, does not cover the grid, or a figure of the device
/// is missing.
#[must_use]
pub fn point(spec: &DeviceSpec, work: &Work<'_>, waves: Option<&Waves>) -> Option<Point> {
    let (trace, figures) = (work.trace, &spec.figures);
    let caches = trace.caches.as_ref().filter(|_| trace.complete)?;
    let rates = Rates::of(figures, work)?;
    let launches = work.launches as f64;
    let spread = Spread::of(waves);
    let cost = |count: f64, of: &'static str, each_s: f64| Cost { count, of, each_s };
    let blocks = launches * work.launch.blocks as f64;
    let turns = trace.global.atomic_turns as f64;
    let mut parts = vec![
        Part::of(Bound::Bytes, dram(caches, &rates)),
        Part::of(Bound::L2, l2(caches, &rates)),
        Part::of(Bound::L1, [l1(caches, &rates)]),
        Part::of(Bound::Instructions, [issue(work, &rates, &spread)]),
        Part::of(Bound::SharedMemory, [shared(trace, &rates, &spread)]),
        Part::of(Bound::Matrix, matrix(work, figures)),
        Part::of(Bound::Atomics, [cost(turns, "an atomic that takes its turn", fitted::ATOMICS / rates.turns_per_s)]),
        Part::of(Bound::Blocks, [cost(blocks, "a block", fitted::BLOCKS / rates.starts_per_s)]),
        Part::of(Bound::Latency, latency(work, caches, &rates, &spread)),
    ];
    let power: f64 = parts.iter().map(|part| part.seconds.powf(fitted::POWER)).sum();
    let launch =
        [cost(launches, "a launch", rates.launch_s), cost(launches, "its first and last warp", fitted::RAMP_S)];
    let launch = Part::of(Bound::Launch, launch);
    let point_s = launch.seconds + power.powf(fitted::POWER.recip());
    parts.push(launch);
    parts.retain(|part| part.seconds > 0.0);
    parts.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let ends = fitted::ends(parts.first().map_or(Bound::Launch, |part| part.of));
    Some(Point { point_s, likely_s: ends.map(|end| end * point_s), parts })
}

/// The least time of a launch that needs these bytes and operations, in seconds: with its launch in a graph, at the rates of a copy and of
/// 32-bit arithmetic. None if a rate is not known.
#[must_use]
pub fn least_s(spec: &DeviceSpec, work: units::Work) -> Option<f64> {
    let figures = &spec.figures;
    let copied = figures.copied_bytes_per_s().or(figures.dram_bytes_per_s())?;
    let busy = (work.bytes / copied).max(work.flops / figures.fp32_flops_per_s()?);
    Some(figures.empty_launch_s().unwrap_or(0.0) + busy)
}

/// Whether the point with this key (its recording, lesson, experiment, curve and setting) is one of those to which the constants were
/// fitted: by the lowest bit of its hash (FNV-1a of 64 bits, RFC 9923), which nobody chooses.
#[must_use]
pub fn is_fitted(key: &str) -> bool {
    let hash = key
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    hash % 2 == 0
}

/// The rates of a device.
struct Rates {
    /// Cycles a second of one SM, and of all together.
    clock: f64,
    cycles: f64,
    copied: f64,
    l2_bytes: f64,
    lanes: f64,
    shared: f64,
    turns_per_s: f64,
    starts_per_s: f64,
    /// Cycles of shared memory's latency, which L1 has nearly, L2's and DRAM's.
    latencies: [f64; 3],
    /// Of one launch.
    launch_s: f64,
    through_vulkan: usize,
}

impl Rates {
    /// None if a figure is missing. An unknown time of a launch is 0.
    fn of(figures: &Figures, work: &Work<'_>) -> Option<Self> {
        let (sms, clock) = (f64::from(figures.sms()?), figures.boost_clock_hz()?);
        let [dram, l2, shared] = terms::latencies(figures)?;
        let [in_graph, alone, among] = fitted::LAUNCH;
        let vulkan =
            figures.vulkan_launch_s().map(|(least, most)| if work.is_alone { alone * most } else { among * least });
        let cuda = figures.empty_launch_s().map(|launch| in_graph * launch);
        let measured = work.launch_s.map(|[least, most]| (least + most) / 2.0 / work.launches.max(1) as f64);
        let launch_s = if work.through_vulkan { vulkan.or(measured) } else { cuda.or(measured) };
        Some(Self {
            clock,
            cycles: sms * clock,
            copied: work.copy_bytes_per_s.or(figures.dram_bytes_per_s())?,
            l2_bytes: figures.l2_bytes()? as f64,
            lanes: f64::from(figures.fp32_lanes_per_sm()?),
            shared: f64::from(figures.shared_wavefronts_per_clock_per_sm()?),
            turns_per_s: figures.atomic_turns_per_s()?,
            starts_per_s: figures.block_starts_per_s()?,
            latencies: [shared, l2, dram],
            launch_s: launch_s.unwrap_or(0.0),
            through_vulkan: usize::from(work.through_vulkan),
        })
    }
}

/// How unevenly a grid fills the SMs.
struct Spread {
    quantisation: f64,
    rounds: f64,
}

impl Spread {
    fn of(waves: Option<&Waves>) -> Self {
        let (quantisation, rounds) = waves.map_or((1.0, 1.0), |w| (w.quantisation(), w.waves.ceil().max(1.0)));
        Self { quantisation, rounds }
    }
}

fn dram(caches: &CacheCounts, rates: &Rates) -> [Cost; 2] {
    let [loads, stores] = fitted::DRAM;
    // Dirty sectors beyond the capacity of L2 are written to DRAM. Sampled workgroups alone do not fill L2.
    let beyond = (SECTOR * caches.dirty as f64 - DIRTY * rates.l2_bytes).max(0.0);
    let stored = SECTOR * caches.dram_stores as f64 + beyond;
    [
        Cost { count: SECTOR * caches.dram_loads as f64, of: "B from DRAM", each_s: loads / rates.copied },
        Cost { count: stored, of: "B to DRAM", each_s: stores / rates.copied },
    ]
}

fn l2(caches: &CacheCounts, rates: &Rates) -> [Cost; 2] {
    let [loads, stores] = fitted::L2;
    let atomics = caches.l2_atomics as f64;
    let (loaded, stored) = (caches.l2_loads as f64 + atomics, caches.l2_stores as f64 + atomics);
    [
        Cost { count: SECTOR * loaded, of: "B from L2", each_s: loads / rates.copied },
        Cost { count: SECTOR * stored, of: "B to L2", each_s: stores / rates.copied },
    ]
}

fn l1(caches: &CacheCounts, rates: &Rates) -> Cost {
    let sectors = (caches.l1_hits + caches.l1_misses) as f64;
    Cost { count: SECTOR * sectors, of: "B asked of L1", each_s: fitted::L1 / (SECTOR * 4.0 * rates.cycles) }
}

/// Slots of issue, or useful operations, whichever take longer.
fn issue(work: &Work<'_>, rates: &Rates, spread: &Spread) -> Cost {
    let slot_s = fitted::ISSUE[rates.through_vulkan] * spread.quantisation / (4.0 * rates.cycles);
    let instructions =
        Cost { count: work.trace.warp_instructions as f64, of: "an instruction of a warp", each_s: slot_s };
    let flops = if work.trace.matrix_products > 0 { 0.0 } else { work.least_flops };
    let operation_s = fitted::FLOPS[0] / (2.0 * rates.lanes * rates.cycles);
    let useful = Cost { count: flops, of: "a floating-point operation", each_s: operation_s };
    if useful.seconds() > instructions.seconds() { useful } else { instructions }
}

fn matrix(work: &Work<'_>, figures: &Figures) -> Option<Cost> {
    let flops = if work.trace.matrix_products > 0 { work.least_flops } else { 0.0 };
    let each_s = fitted::FLOPS[1] / figures.matrix_flops_per_s()?;
    Some(Cost { count: flops, of: "an operation on matrix units", each_s })
}

fn shared(trace: &Trace, rates: &Rates, spread: &Spread) -> Cost {
    let shared = &trace.shared;
    let wavefronts: u64 = [shared.load, shared.store, shared.atomic].iter().map(|counts| counts.wavefronts).sum();
    let each_s = fitted::SHARED * spread.quantisation / (rates.shared * rates.cycles);
    Cost { count: wavefronts as f64, of: "a wavefront", each_s }
}

/// The critical path, once in each wave of blocks that are as long. Of the waits for loads, each level has the share of the loads that it serves.
fn latency(work: &Work<'_>, caches: &CacheCounts, rates: &Rates, spread: &Spread) -> Vec<Cost> {
    let (path, shared_bytes) = (&work.trace.critical, work.launch.shared_bytes_per_block);
    let share = |part: u64, of: u64, without: f64| if of == 0 { without } else { part as f64 / of as f64 };
    let misses = share(caches.l1_misses, caches.l1_hits + caches.l1_misses, 1.0);
    let asked = caches.l2_loads + caches.l2_atomics;
    let beyond = share(asked.saturating_sub(caches.l2_hits), asked, 1.0);
    let shares = [1.0 - misses, misses * (1.0 - beyond), misses * beyond];
    // Where most blocks have less to do than the longest, waves of them pass sooner.
    let (mean, longest) = (share(work.trace.warp_instructions, work.trace.warps, 0.0), path.instructions as f64);
    let evenness = (mean * work.launches as f64 / longest.max(1.0)).min(1.0);
    let rounds = (spread.rounds * evenness).max(1.0);
    let cycles =
        |count: f64, of: &'static str, each: f64| Cost { count: count * rounds, of, each_s: each / rates.clock };
    let chased = path.chased_waits as f64;
    let others = path.global_waits.saturating_sub(path.chased_waits);
    let first = others.min(path.waiting_intervals);
    let [chase, alone] = fitted::ALONE;
    let others = alone * first as f64 + fitted::TOGETHER[rates.through_vulkan] * (others - first) as f64;
    let waits = path.global_waits.max(1) as f64;
    // Cycles of a mean wait for a level.
    let mean =
        |of: usize| rates.latencies[of] * (chase * chased * fitted::CHASED[of] + others * fitted::LATENCY[of]) / waits;
    let zeroed = rates.through_vulkan as f64 * f64::from(shared_bytes / 4);
    let wait = |of: usize, name: &'static str| cycles(path.global_waits as f64 * shares[of], name, mean(of));
    vec![
        wait(2, "a wait for DRAM"),
        wait(1, "a wait for L2"),
        wait(0, "a wait for L1"),
        cycles(path.barriers as f64, "a barrier", fitted::BARRIER),
        cycles(path.instructions as f64, "an instruction of the longest warp", fitted::PATH[0]),
        cycles(path.chain as f64, "an instruction that waits for the one before", fitted::PATH[1]),
        cycles(path.shared_waits as f64, "a wait for shared memory", fitted::SHARED_WAITS * rates.latencies[0]),
        cycles(zeroed, "a word of shared memory set to 0", fitted::ZEROED),
    ]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::spec::tests::device;
    use super::super::{Launch, predict};
    use super::*;
    use crate::trace::CriticalPath;

    const LAUNCH: Launch = Launch {
        blocks: 1320,
        threads_per_block: 256,
        shared_bytes_per_block: 0,
        registers_per_thread: None,
        warp_lanes: 32,
    };

    /// A copy of `sectors` sectors, a thread a word.
    fn copy(sectors: u64) -> Trace {
        let caches = CacheCounts {
            l1_misses: sectors,
            l2_loads: sectors,
            l2_stores: sectors,
            l2_hits: sectors / 2,
            dram_loads: sectors,
            ..CacheCounts::default()
        };
        let critical = CriticalPath { instructions: 10, chain: 6, global_waits: 1, ..CriticalPath::default() };
        Trace { warp_instructions: sectors * 3, complete: true, critical, caches: Some(caches), ..Trace::default() }
    }

    fn of(id: &str, trace: &Trace) -> Option<Point> {
        predict(&device(id), &Work::of(&LAUNCH, trace)).point
    }

    #[test]
    fn the_launch_bounds_a_small_copy_and_bytes_a_large_one() {
        let bounds = [100, 100_000_000].map(|sectors| of("h200-sxm", &copy(sectors)).map(|point| point.parts[0].of));
        assert!(bounds[0] == Some(Bound::Launch) && matches!(bounds[1], Some(Bound::Bytes | Bound::L2)), "{bounds:?}");
        let point = of("h200-sxm", &copy(100_000_000)).expect("a point");
        assert!(point.likely_s[0] < point.point_s && point.point_s < point.likely_s[1]);
        assert!(point.words().contains("9 of 10 times"), "{}", point.words());
    }

    #[test]
    fn a_part_is_the_sum_of_its_counts() {
        let point = of("h200-sxm", &copy(100_000)).expect("a point");
        for part in &point.parts {
            let sum: f64 = part.costs.iter().map(|cost| cost.count * cost.each_s).sum();
            assert!((part.seconds - sum).abs() <= 1e-12 * part.seconds && !part.costs.is_empty(), "{part:?}");
        }
        let l2 = point.parts.iter().find(|part| part.of == Bound::L2).map(Part::words);
        let l2 = l2.unwrap_or_default();
        assert!(l2.starts_with("3.20 MB from L2 at ") && l2.contains(" + 3.20 MB to L2 at "), "{l2}");
        let twice = point.clone().then(point.clone());
        assert!((twice.point_s - 2.0 * point.point_s).abs() < 1e-15 && twice.parts.len() == point.parts.len());
        assert!(twice.parts.iter().all(|part| part.costs.is_empty()));
    }

    #[test]
    fn without_counts_of_caches_or_figures_there_is_no_number() {
        assert_eq!(of("h200-sxm", &Trace { caches: None, ..copy(100) }), None);
        assert_eq!(of("h200-sxm", &Trace { complete: false, ..copy(100) }), None);
        assert_eq!(of("apple-m2", &copy(100)), None);
    }

    #[test]
    fn about_half_of_all_keys_are_fitted() {
        let fitted = (0..1000).filter(|i| is_fitted(&format!("recording/lesson/experiment/curve/n={i}"))).count();
        assert!((400..600).contains(&fitted), "{fitted}");
        // FNV-1a of nothing is its offset, which is odd.
        assert!(!is_fitted(""));
    }

    proptest! {
        #[test]
        fn more_of_anything_takes_no_less_time(sectors in 1_u64..10_000_000, more in 0_u64..10_000_000, part in 0..8) {
            let (less, mut greater) = (copy(sectors), copy(sectors));
            let caches = greater.caches.as_mut().expect("counts");
            match part {
                0 => caches.dram_loads += more,
                1 => caches.dram_stores += more,
                2 => caches.l2_stores += more,
                3 => greater.warp_instructions += more,
                4 => greater.shared.load.wavefronts += more,
                5 => greater.global.atomic_turns += more,
                6 => greater.critical.barriers += more,
                _ => greater.critical.global_waits += more,
            }
            let [less, greater] = [less, greater].map(|trace| of("h200-sxm", &trace).map_or(0.0, |point| point.point_s));
            prop_assert!(greater >= less && less > 0.0);
        }

        #[test]
        fn the_whole_lies_between_its_longest_part_and_their_sum(sectors in 1_u64..10_000_000) {
            let point = of("h200-sxm", &copy(sectors)).expect("a point");
            let sum: f64 = point.parts.iter().map(|part| part.seconds).sum();
            prop_assert!(point.parts[0].seconds <= point.point_s * (1.0 + 1e-9) && point.point_s <= sum * (1.0 + 1e-9));
        }
    }
}
