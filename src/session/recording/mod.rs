//! Recordings: experiments that were measured on some device, kept in `assets/recordings/` and shown where there is no such device.
//!
//! A file holds what one device and backend measured; every time in it is in seconds, bytes and operations are what the lesson says
//! that the work needs. A curve names what it was measured of by a fingerprint, so that it is not shown of another kernel.

mod file;

use std::collections::BTreeMap;

use serde::Deserialize;

pub use self::file::{load, read};
use super::desk::state::Sweep;
use super::output::{KernelOutput, LibraryOutput, SweepPoint, TimeOutput};
use super::saved::RecordingChoice;
use crate::lesson::{CudaOnly, Experiment, Kernel, Lesson};
use crate::measure::stats;
use crate::trace::record::{Backend, CacheState, Device};

/// Where a pack's recordings are.
pub const FOLDER: &str = "assets/recordings";

/// The version of a recording's file that this program reads and writes.
pub const FORMAT_VERSION: u32 = 2;

/// What one device measured.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// The file's name without its ending.
    #[serde(skip)]
    pub id: String,
    /// See [`FORMAT_VERSION`].
    pub format_version: u32,
    /// The device's name, as its driver gives it.
    pub device: String,
    /// The driver's name and version.
    pub driver: String,
    /// The interface below the backend, such as "Vulkan".
    pub api: String,
    /// What ran the kernels.
    pub backend: Backend,
    /// The day, as YYYY-MM-DD.
    pub date: String,
    /// The version of the program that measured.
    pub program: String,
    /// Whether the device's compiler guarded indices.
    pub bounds_checks: bool,
    /// The experiments.
    pub experiments: Vec<RecordedExperiment>,
}

/// One experiment of a lesson.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedExperiment {
    /// The lesson's id.
    pub lesson: String,
    /// The experiment's id.
    pub experiment: String,
    /// The parameter that was swept.
    pub over: String,
    /// The others.
    pub params: BTreeMap<String, f64>,
    /// One for each kernel.
    pub curves: Vec<RecordedCurve>,
}

/// One kernel's points.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedCurve {
    /// The kernel's id.
    pub kernel: String,
    /// Its [`fingerprint`] at the time.
    pub fingerprint: String,
    /// The points, in the order of the experiment's values.
    pub points: Vec<RecordedPoint>,
}

/// The samples of one setting, and the work done in each of them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, try_from = "file::Point")]
pub struct RecordedPoint {
    /// The swept parameter's value.
    pub x: f64,
    /// Bytes that the work needs to move.
    pub bytes: f64,
    /// Floating-point operations that the work needs.
    pub flops: f64,
    /// The state of the caches.
    pub cache: CacheState,
    /// Each sample, in seconds, in the order they were taken.
    pub samples_s: Vec<f64>,
    /// The library's call that does the same work, timed in the same run.
    pub library: Option<RecordedLibrary>,
}

/// A library's samples.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedLibrary {
    /// The call's name.
    pub name: String,
    /// Its version, where it has one of its own.
    #[serde(default)]
    pub version: Option<String>,
    /// Each sample, in seconds, in the order they were taken.
    pub samples_s: Vec<f64>,
}

/// A recording as an experiment shows it.
#[derive(Clone, Debug)]
pub struct Shown<'a> {
    /// The recording.
    pub recording: &'a Recording,
    /// Its points, as if they had been measured here; its device says that they were not.
    pub sweep: Sweep,
    /// Titles of the kernels that have changed since, and so are left out.
    pub changed: Vec<String>,
}

/// Names what a backend runs of a kernel: its source, entry point, constants, buffers, grid and work. FNV-1a, 64 bits
/// (Fowler, Noll & Vo, RFC 9923), in hexadecimal; it tells a change, not an attack.
#[must_use]
pub fn fingerprint(kernel: &Kernel, backend: Backend) -> String {
    let (source, entry) = match (&kernel.cuda, backend) {
        (Some(twin), Backend::Cuda) => (&twin.source, &twin.entry),
        _ => (&kernel.source, &kernel.entry),
    };
    let mut parts: Vec<&str> = vec![source, entry];
    for (name, value) in &kernel.constants {
        parts.extend([name.as_str(), value.source()]);
    }
    for buffer in &kernel.buffers {
        parts.extend([buffer.name.as_str(), buffer.count.source()]);
    }
    parts.extend(kernel.grid.iter().chain([&kernel.bytes, &kernel.flops]).map(|e| e.source()));
    parts.extend(kernel.cuda_only.iter().flat_map(CudaOnly::sizes).map(|e| e.source()));
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    // A byte that is in no text keeps neighbours apart.
    for byte in parts.into_iter().flat_map(|part| part.bytes().chain([0xff])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("{hash:016x}")
}

/// The place in `recorded` of the one to show: the one chosen, or the first where nothing else is there that a GPU measured. `device` is what
/// measures, once that is known.
#[must_use]
pub fn chosen(recorded: &[Shown<'_>], choice: &RecordingChoice, device: Option<&Device>) -> Option<usize> {
    match choice {
        RecordingChoice::Hidden => None,
        RecordingChoice::Only(id) => recorded.iter().position(|shown| shown.recording.id == *id),
        RecordingChoice::Auto => {
            let no_gpu = device.is_some_and(|d| d.software || d.backend == Backend::Simt);
            (no_gpu && !recorded.is_empty()).then_some(0)
        }
    }
}

impl Recording {
    /// What was recorded on what and when: "NVIDIA H200, CUDA, 2026-11-21".
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}, {}, {}", self.device, self.interface(), self.date)
    }

    /// The interface as people call it.
    #[must_use]
    pub fn interface(&self) -> &str {
        match self.backend {
            Backend::Cuda => "CUDA",
            Backend::Wgpu | Backend::Simt => &self.api,
        }
    }

    /// What it has of an experiment; none where it has nothing.
    #[must_use]
    pub fn shown(&self, lesson: &Lesson, experiment: &Experiment) -> Option<Shown<'_>> {
        let is_it = |r: &&RecordedExperiment| {
            r.lesson == lesson.id && r.experiment == experiment.id && r.over == experiment.over
        };
        let recorded = self.experiments.iter().find(is_it)?;
        let (mut points, mut changed) = (Vec::new(), Vec::new());
        for curve in &recorded.curves {
            let known = experiment.kernels.contains(&curve.kernel).then(|| lesson.kernel(&curve.kernel)).flatten();
            match known {
                Some(kernel) if fingerprint(kernel, self.backend) == curve.fingerprint => {
                    points.extend(curve.points.iter().map(|p| p.sweep_point(&curve.kernel)));
                }
                Some(kernel) => changed.push(kernel.title.clone()),
                None => {}
            }
        }
        let sweep = Sweep {
            number: 0,
            bounds_checks: self.bounds_checks,
            warp_width: 0,
            backend: self.backend,
            device: self.device.clone(),
            params: recorded.params.clone(),
            over: recorded.over.clone(),
            total: points.len(),
            points,
            left_out: None,
        };
        Some(Shown { recording: self, sweep, changed })
    }
}

impl RecordedPoint {
    fn sweep_point(&self, kernel: &str) -> SweepPoint {
        let time = time(&self.samples_s, self.cache);
        let library = self.library.as_ref().map(|library| {
            let time = self::time(&library.samples_s, self.cache);
            let version = library.version.clone();
            LibraryOutput { version, ..LibraryOutput::timed(&library.name, (self.bytes, self.flops), time) }
        });
        let sampled = KernelOutput::sampled(kernel, (self.bytes, self.flops), time.median_s);
        SweepPoint { x: self.x, kernel: KernelOutput { time: Some(time), library, ..sampled }, warnings: Vec::new() }
    }
}

fn time(samples_s: &[f64], cache: CacheState) -> TimeOutput {
    let sorted = stats::sorted(samples_s);
    let [p10_s, median_s, p90_s] = [0.1, 0.5, 0.9].map(|q| stats::quantile(&sorted, q));
    TimeOutput { median_s, p10_s, p90_s, samples: samples_s.len(), each_s: samples_s.to_vec(), cache }
}

#[cfg(test)]
mod tests;
