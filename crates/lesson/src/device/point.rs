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
use crate::base::units::si;
use crate::trace::{CacheCounts, Trace};

/// Bytes of a sector.
const SECTOR: f64 = 32.0;

/// The share of L2 that holds what was stored.
const DIRTY: f64 = 0.75;

/// The constants that were fitted. Times of a resource are multiplied by its own.
mod fitted {
    use super::Bound;

    /// A launch in a CUDA graph, over an empty one; one through Vulkan alone and among others, over the device's figures.
    pub const LAUNCH: [f64; 3] = [1.05, 0.844, 1.69];
    /// Seconds between a launch's first block and the first instruction, and from the last one to its end, together.
    pub const RAMP_S: f64 = 0.595e-6;
    /// Bytes that DRAM loads and, as far as they leave L2 before the end, stores, at a copy's rate.
    pub const DRAM: [f64; 2] = [0.913, 0.093];
    /// Bytes that L2 gives and takes, at a copy's rate.
    pub const L2: [f64; 2] = [0.5, 1.41];
    /// Sectors of loads, four in a clock of an SM.
    pub const L1: f64 = 4.06;
    /// Traced instructions, four in a clock of an SM: compiled by NVRTC, and by Vulkan's driver.
    pub const ISSUE: [f64; 2] = [0.164, 0.25];
    /// Useful operations at the lanes' peak, and at that of matrix units.
    pub const FLOPS: [f64; 2] = [1.4, 1.0];
    /// Wavefronts of shared memory, one in a clock of an SM.
    pub const SHARED: f64 = 1.0;
    /// Atomics that take turns.
    pub const ATOMICS: f64 = 1.07;
    /// Block starts.
    pub const BLOCKS: f64 = 1.05;
    /// Cycles of an instruction on the critical path, and of a dependent one.
    pub const PATH: [f64; 2] = [0.154, 0.00754];
    /// Waits on the critical path for loads, by NVRTC's code and by Vulkan's, which have more or less in flight.
    pub const WAITS: [f64; 2] = [0.789, 0.761];
    /// Cycles of a wait for a sector in L1, in L2 and in DRAM, over shared memory's, L2's and DRAM's latency.
    pub const LATENCY: [f64; 3] = [1.99, 0.38, 1.0];
    /// Waits for shared memory.
    pub const SHARED_WAITS: f64 = 0.0135;
    /// Cycles of a word of shared memory that Vulkan's code sets to 0 before a workgroup begins.
    pub const ZEROED: f64 = 1.66;
    /// Cycles of a barrier.
    pub const BARRIER: f64 = 171.0;
    /// The power of the norm.
    pub const POWER: f64 = 2.3;
    /// The ends between which nine of ten recorded times lay that the fit had not seen, over the predicted time, by what bounds it.
    pub const fn ends(bound: Bound) -> [f64; 2] {
        match bound {
            Bound::Bytes => [0.58, 1.10],
            Bound::L2 => [0.89, 1.37],
            Bound::L1 => [0.61, 1.27],
            Bound::Instructions => [0.59, 1.54],
            Bound::SharedMemory => [0.60, 1.78],
            Bound::Atomics => [0.56, 1.50],
            Bound::Blocks => [0.90, 1.24],
            Bound::Latency => [0.56, 3.62],
            Bound::Launch => [0.77, 1.50],
            // Of all: too few recorded times were bound by them.
            Bound::Matrix => [0.62, 1.70],
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

/// A part of a predicted time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Part {
    /// The resource.
    pub of: Bound,
    /// In seconds.
    pub seconds: f64,
}

/// The predicted time of a traced kernel. None if the trace has no counts of caches, does not cover the grid, or a figure of the device
/// is missing.
#[must_use]
pub fn point(spec: &DeviceSpec, work: &Work<'_>, waves: Option<&Waves>) -> Option<Point> {
    let (trace, figures) = (work.trace, &spec.figures);
    let caches = trace.caches.as_ref().filter(|_| trace.complete)?;
    let rates = Rates::of(figures, work)?;
    let launches = work.launches as f64;
    let launch_s = launches * (rates.launch_s + fitted::RAMP_S);
    let spread = Spread::of(waves);
    let mut parts = vec![
        Part { of: Bound::Bytes, seconds: dram_s(caches, &rates) },
        Part { of: Bound::L2, seconds: l2_s(caches, &rates) },
        Part { of: Bound::L1, seconds: l1_s(caches, &rates) },
        Part { of: Bound::Instructions, seconds: issue_s(work, &rates, &spread) },
        Part { of: Bound::SharedMemory, seconds: shared_s(trace, &rates, &spread) },
        Part { of: Bound::Matrix, seconds: matrix_s(work, figures) },
        Part { of: Bound::Atomics, seconds: fitted::ATOMICS * trace.global.atomic_turns as f64 / rates.turns_per_s },
        Part { of: Bound::Blocks, seconds: fitted::BLOCKS * launches * work.launch.blocks as f64 / rates.starts_per_s },
        Part { of: Bound::Latency, seconds: latency_s(work, caches, &rates, &spread) },
    ];
    let power: f64 = parts.iter().map(|part| part.seconds.powf(fitted::POWER)).sum();
    let point_s = launch_s + power.powf(fitted::POWER.recip());
    parts.push(Part { of: Bound::Launch, seconds: launch_s });
    parts.retain(|part| part.seconds > 0.0);
    parts.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let ends = fitted::ends(parts.first().map_or(Bound::Launch, |part| part.of));
    Some(Point { point_s, likely_s: ends.map(|end| end * point_s), parts })
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
    /// Cycles of a wait for L1, L2 and DRAM, and for shared memory.
    waits: [f64; 3],
    shared_wait: f64,
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
            waits: [fitted::LATENCY[0] * shared, fitted::LATENCY[1] * l2, fitted::LATENCY[2] * dram],
            shared_wait: shared,
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

fn dram_s(caches: &CacheCounts, rates: &Rates) -> f64 {
    let [loads, stores] = fitted::DRAM;
    // Dirty sectors beyond the capacity of L2 are written to DRAM. Sampled workgroups alone do not fill L2.
    let beyond = (SECTOR * caches.dirty as f64 - DIRTY * rates.l2_bytes).max(0.0);
    (loads * SECTOR * caches.dram_loads as f64 + stores * (SECTOR * caches.dram_stores as f64 + beyond)) / rates.copied
}

fn l2_s(caches: &CacheCounts, rates: &Rates) -> f64 {
    let [loads, stores] = fitted::L2;
    let atomics = caches.l2_atomics as f64;
    let (loaded, stored) = (caches.l2_loads as f64 + atomics, caches.l2_stores as f64 + atomics);
    SECTOR * (loads * loaded + stores * stored) / rates.copied
}

fn l1_s(caches: &CacheCounts, rates: &Rates) -> f64 {
    fitted::L1 * (caches.l1_hits + caches.l1_misses) as f64 / (4.0 * rates.cycles)
}

fn issue_s(work: &Work<'_>, rates: &Rates, spread: &Spread) -> f64 {
    let slots = work.trace.warp_instructions as f64 * spread.quantisation / (4.0 * rates.cycles);
    let flops = if work.trace.matrix_products > 0 { 0.0 } else { work.least_flops };
    let useful = fitted::FLOPS[0] * flops / (2.0 * rates.lanes * rates.cycles);
    (fitted::ISSUE[rates.through_vulkan] * slots).max(useful)
}

fn matrix_s(work: &Work<'_>, figures: &Figures) -> f64 {
    let flops = if work.trace.matrix_products > 0 { work.least_flops } else { 0.0 };
    figures.matrix_flops_per_s().map_or(0.0, |peak| fitted::FLOPS[1] * flops / peak)
}

fn shared_s(trace: &Trace, rates: &Rates, spread: &Spread) -> f64 {
    let shared = &trace.shared;
    let wavefronts: u64 = [shared.load, shared.store, shared.atomic].iter().map(|counts| counts.wavefronts).sum();
    fitted::SHARED * wavefronts as f64 * spread.quantisation / (rates.shared * rates.cycles)
}

/// The critical path, once in each wave. Of the waits for loads, each level has the share of the loads that it serves.
fn latency_s(work: &Work<'_>, caches: &CacheCounts, rates: &Rates, spread: &Spread) -> f64 {
    let (path, shared_bytes) = (&work.trace.critical, work.launch.shared_bytes_per_block);
    let share = |part: u64, of: u64, without: f64| if of == 0 { without } else { part as f64 / of as f64 };
    let misses = share(caches.l1_misses, caches.l1_hits + caches.l1_misses, 1.0);
    let asked = caches.l2_loads + caches.l2_atomics;
    let beyond = share(asked.saturating_sub(caches.l2_hits), asked, 1.0);
    let [l1, l2, dram] = rates.waits;
    let wait = (1.0 - misses) * l1 + misses * ((1.0 - beyond) * l2 + beyond * dram);
    let cycles = fitted::PATH[0] * path.instructions as f64
        + fitted::PATH[1] * path.chain as f64
        + fitted::WAITS[rates.through_vulkan] * path.global_waits as f64 * wait
        + fitted::SHARED_WAITS * path.shared_waits as f64 * rates.shared_wait
        + fitted::BARRIER * path.barriers as f64;
    let zeroed = rates.through_vulkan as f64 * fitted::ZEROED * f64::from(shared_bytes / 4);
    (cycles + zeroed) * spread.rounds / rates.clock
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
