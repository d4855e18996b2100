//! Options of a trace: warp width, the events to keep, the checks to make, and fuel.

use serde::{Deserialize, Serialize};

/// The data that a tracer should keep besides counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceSpec {
    /// Lanes in a warp: 8, 16, 32 or 64.
    pub warp_width: u32,
    /// Linear indices of the workgroups whose events are kept; none keeps no timeline.
    pub timeline_workgroups: Vec<u32>,
    /// The launch that they are of.
    pub shown: Shown,
    /// Events kept at most; counts go on past it.
    pub max_events: u32,
    /// Run only the workgroups in `timeline_workgroups`, and nothing after them: for a quick look while the whole is
    /// traced in the background.
    pub only_timeline_workgroups: bool,
    /// Look for races, and for reads of what was never written. It takes a few times as long.
    pub races: bool,
    /// Look for them in the workgroups in `timeline_workgroups` alone.
    pub races_shown: bool,
    /// Count. A run that only keeps contents of buffers is quicker without.
    pub counts: bool,
    /// Count how often each element of a matrix is fetched from global memory, in the launch shown. It takes about half
    /// as long again.
    pub heat: bool,
    /// The workgroup variables whose contents are kept at each barrier of the launch shown; the rows of buffers that
    /// are accessed between barriers are kept then, too, and what each launch moves from and to each buffer. None keeps
    /// nothing of that.
    pub course: Option<Vec<String>>,
    /// The caches whose hits are counted; None counts none. It takes about half as long again.
    #[serde(default)]
    pub caches: Option<Caches>,
    /// Workgroups of a launch that are run at most: of a larger one its first, middle and last ones, whose counts stand for the others'.
    /// Buffers do not have the whole result then. None runs all.
    #[serde(default)]
    pub sample: Option<u64>,
    /// Steps after which a program is taken to be endless: a warp instruction is one, and eight lanes that access
    /// memory.
    pub fuel: u64,
    /// The language of the kernels that are traced, where they are written in two.
    pub language: Language,
}

/// Places of a grid at most whose workgroups stand for all.
const PLACES: u64 = 32;

impl TraceSpec {
    /// The workgroups that stand for a launch of `all`: neighbours at evenly spaced places, the first and the last workgroup among them. None
    /// if all run.
    #[must_use]
    pub fn sampled(&self, all: u64) -> Option<Vec<u64>> {
        let most = self.sample.filter(|most| *most < all)?.max(4);
        // Neighbours share what is in L2; far ones have different work.
        let places = (most / 4).clamp(4, PLACES).min(most);
        let (each, last) = (most / places, all - most / places);
        let group = |place: u64| {
            let first = last * place / (places - 1);
            first..first + each
        };
        let mut chosen: Vec<u64> = (0..places).flat_map(group).collect();
        chosen.sort_unstable();
        chosen.dedup();
        Some(chosen)
    }
}

/// The caches of a device, and what decides how many workgroups share them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Caches {
    /// SMs of the device.
    pub sms: u32,
    /// Threads that an SM holds at once, at most.
    pub threads_per_sm: u32,
    /// Workgroups that an SM holds at once, at most.
    pub blocks_per_sm: u32,
    /// Bytes of an SM that L1 and shared memory take together.
    pub l1_bytes: u32,
    /// Bytes of L2.
    pub l2_bytes: u64,
    /// Whether L2 has been used by the same program before.
    pub warm: bool,
}

impl Caches {
    /// The caches of an H200, cold (`assets/devices/h200-sxm.ron`).
    pub const H200: Self = Self {
        sms: 132,
        threads_per_sm: 2048,
        blocks_per_sm: 32,
        l1_bytes: 256 << 10,
        l2_bytes: 60 << 20,
        warm: false,
    };
}

/// A language that a kernel can be traced from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Language {
    /// WGSL.
    #[default]
    Wgsl,
    /// CUDA C++, by way of PTX.
    Cuda,
}

/// One launch among those of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Shown {
    /// The pass, by its place.
    pub pass: usize,
    /// How many launches of it came before.
    pub launch: u64,
}

/// Fuel for any lesson's program: some ten seconds on one core.
pub const FUEL: u64 = 3_000_000_000;

impl Default for TraceSpec {
    fn default() -> Self {
        Self {
            warp_width: 32,
            timeline_workgroups: Vec::new(),
            shown: Shown::default(),
            max_events: 100_000,
            only_timeline_workgroups: false,
            races: false,
            races_shown: false,
            counts: true,
            heat: false,
            course: None,
            caches: None,
            sample: None,
            fuel: FUEL,
            language: Language::Wgsl,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_neighbours_at_evenly_spaced_places_once_each() {
        let of = |sample, all| TraceSpec { sample, ..TraceSpec::default() }.sampled(all);
        assert_eq!(of(Some(8), 101), Some(vec![0, 1, 33, 34, 66, 67, 99, 100]));
        assert_eq!(of(Some(256), 100_000).map(|all| (all.len(), all[7], all[8])), Some((256, 7, 3225)));
        assert_eq!((of(None, 100), of(Some(100), 100)), (None, None));
        for (sample, all) in [(1, 2), (1, 5), (4, 5), (6, 7), (9, 11), (30, 31)] {
            let found = of(Some(sample), all).unwrap_or_default();
            assert!(
                !found.is_empty() && found.is_sorted_by(|a, b| a < b) && found.iter().all(|w| *w < all),
                "{found:?}"
            );
        }
    }
}
