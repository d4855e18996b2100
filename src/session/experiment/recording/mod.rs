//! Recordings: experiments that were measured on some device, kept in `assets/recordings/` and shown if there is no
//! such device.
//!
//! A file holds the measurements of one device and backend; times are in seconds, bytes and operations are those that
//! the lesson says the work needs. A curve has a fingerprint of its kernel, so that it is not shown for another one.

mod file;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use self::file::{load, read};
use super::sweep::Sweep;
use crate::base::units::Work;
use crate::lesson::{Experiment, Lesson, Pack, Variant};
use crate::measure::stats;
pub use crate::session::jobs::fingerprint::{fingerprint, of_job};
use crate::session::jobs::setting::parameters_of;
use crate::session::jobs::{self, Params};
use crate::session::run::output::{KernelOutput, LibraryOutput, SweepPoint, TimeOutput};
use crate::trace::record::{Backend, CacheState, Device};

/// Where a pack's recordings are.
pub const FOLDER: &str = "assets/recordings";

/// The version of a recording's file that this program reads and writes.
pub const FORMAT_VERSION: u32 = 3;

/// Which recording is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RecordingChoice {
    /// The first one if the learner has no GPU, else none.
    #[default]
    Auto,
    /// None.
    Hidden,
    /// This one, by id.
    Only(String),
}

/// The measurements of one device.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// The file's name without its ending.
    #[serde(skip)]
    pub id: String,
    pub format_version: u32,
    /// The device's name, as its driver gives it.
    pub device: String,
    /// The driver's name and version.
    pub driver: String,
    /// The interface below the backend, such as "Vulkan".
    pub api: String,
    /// The backend that ran the kernels.
    pub backend: Backend,
    /// The day, as YYYY-MM-DD, or the first and the last one of several: `2026-11-22 to 2026-11-23`.
    pub date: String,
    /// The version of the program that measured.
    pub program: String,
    /// Whether the device's compiler guarded indices.
    pub bounds_checks: bool,
    pub experiments: Vec<RecordedExperiment>,
    /// The experiments to show with a pack; see [`Recording::resolve`].
    #[serde(skip)]
    pub shown: Vec<Shown>,
    /// Whether the learner measured it in this program, on an earlier day.
    #[serde(skip)]
    pub own: bool,
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
    /// The curves, each with its points.
    pub curves: Vec<RecordedCurve>,
}

/// One curve's points.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedCurve {
    /// The curve's id in its experiment: a kernel's, mostly.
    pub curve: String,
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
    /// Its version, if it has one of its own.
    #[serde(default)]
    pub version: Option<String>,
    /// Each sample, in seconds, in the order they were taken.
    pub samples_s: Vec<f64>,
}

/// A recording's data for one experiment.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The lesson's id, and the experiment's.
    pub of: (String, String),
    /// Its points, as if they had been measured here; its device says that they were not.
    pub sweep: Sweep,
    /// Titles of the curves whose programs have changed since, and so are left out.
    pub changed: Vec<String>,
}

/// A recording with its data for an experiment.
pub type Of<'a> = (&'a Recording, &'a Shown);

/// The index in `recorded` of the one to show: the one chosen; else the learner's own of this device, unless it has
/// been `swept` again; else the pack's first if there is no GPU. `device` is the measuring device, once known.
#[must_use]
pub fn chosen(recorded: &[Of<'_>], choice: &RecordingChoice, device: Option<&Device>, swept: bool) -> Option<usize> {
    match choice {
        RecordingChoice::Hidden => None,
        RecordingChoice::Only(id) => recorded.iter().position(|(recording, _)| recording.id == *id),
        RecordingChoice::Auto => {
            let no_gpu = device.is_some_and(|d| d.software || d.backend == Backend::Simt);
            let of_pack = recorded.iter().position(|(recording, _)| !recording.own).filter(|_| no_gpu);
            let is_own = |recording: &Recording| recording.own && device.is_some_and(|d| d.name == recording.device);
            // A CPU's measurements are listed but not chosen: the pack's curve is more informative.
            let own = recorded.iter().position(|(recording, _)| is_own(recording)).filter(|_| !swept && !no_gpu);
            own.or(of_pack)
        }
    }
}

impl Recording {
    /// Its device, interface and date: "NVIDIA H200, CUDA, 2026-11-21"; the learner's own are marked as theirs.
    #[must_use]
    pub fn name(&self) -> String {
        let whose = if self.own { "yours: " } else { "" };
        format!("{whose}{}, {}, {}", self.device, self.interface(), self.date)
    }

    /// The interface's usual name.
    #[must_use]
    pub fn interface(&self) -> &str {
        match self.backend {
            Backend::Cuda => "CUDA",
            Backend::Wgpu | Backend::Simt => &self.api,
        }
    }

    /// Determines once what it shows of a pack's experiments: curves that have changed since are left out.
    #[must_use]
    pub fn resolve(mut self, pack: &Pack) -> Self {
        let shown = self.experiments.iter().filter_map(|recorded| {
            let lesson = pack.lessons.iter().find(|lesson| lesson.id == recorded.lesson)?;
            let experiment =
                lesson.experiments.iter().find(|e| e.id == recorded.experiment && e.over == recorded.over)?;
            let (mut points, mut changed) = (Vec::new(), Vec::new());
            let params = jobs::with(&jobs::defaults(lesson), &recorded.params.clone().into_iter().collect::<Vec<_>>());
            for curve in &recorded.curves {
                let Some(known) = experiment.curves.iter().find(|known| known.id == curve.curve) else { continue };
                let values: Vec<f64> = curve.points.iter().map(|point| point.x).collect();
                let now = fingerprint(lesson, known, (&recorded.over, &values), &params, self.backend);
                if now.as_ref() == Some(&curve.fingerprint) {
                    points.extend(curve.points.iter().map(|p| p.sweep_point(&curve.curve)));
                } else {
                    changed.push(known.title.clone());
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
                modelled: None,
            };
            Some(Shown { of: (lesson.id.clone(), experiment.id.clone()), sweep, changed })
        });
        self.shown = shown.collect();
        self
    }

    /// Its data for an experiment; None if it has none.
    #[must_use]
    pub fn shown(&self, lesson: &Lesson, experiment: &Experiment) -> Option<Of<'_>> {
        let is_it = |shown: &&Shown| shown.of.0 == lesson.id && shown.of.1 == experiment.id;
        self.shown.iter().find(is_it).map(|shown| (self, shown))
    }

    /// The time that it has of a whole program at these parameters; None if no experiment passed there.
    #[must_use]
    pub fn time_at(&self, lesson: &Lesson, variant: &Variant, params: &Params) -> Option<&TimeOutput> {
        let of_lesson = self.shown.iter().filter(|shown| shown.of.0 == lesson.id);
        // Parameters that the program does not depend on may have any value.
        let parameters = parameters_of(lesson, variant);
        let mut points = of_lesson.filter_map(|shown| {
            let experiment = lesson.experiments.iter().find(|experiment| experiment.id == shown.of.1)?;
            let curve = experiment.curves.iter().find(|c| c.variant == *variant && c.pass.is_none())?;
            let sweep = &shown.sweep;
            let same = |(id, value): (&String, &f64)| {
                *id == sweep.over || !parameters.contains(id) || params.get(id) == Some(value)
            };
            let x = params.get(&sweep.over).filter(|_| sweep.params.iter().all(same))?;
            sweep.points.iter().find(|point| point.kernel.id == curve.id && point.x == *x)?.kernel.time.as_ref()
        });
        points.next()
    }
}

impl RecordedPoint {
    /// Statistics of the samples.
    #[must_use]
    pub fn time(&self) -> TimeOutput {
        time(&self.samples_s, self.cache)
    }

    fn sweep_point(&self, kernel: &str) -> SweepPoint {
        let (time, work) = (self.time(), Work { bytes: self.bytes, flops: self.flops });
        let library = self.library.as_ref().map(|library| {
            let time = library.time(self.cache);
            let version = library.version.clone();
            LibraryOutput { version, ..LibraryOutput::timed(&library.name, work, time) }
        });
        let sampled = KernelOutput::sampled(kernel, work, time.median_s);
        let kernel = KernelOutput { time: Some(time), library, ..sampled };
        SweepPoint { x: self.x, kernel, value: None, predicted_s: None, warnings: Vec::new() }
    }
}

impl RecordedLibrary {
    /// Statistics of the samples, with the caches in this state.
    #[must_use]
    pub fn time(&self, cache: CacheState) -> TimeOutput {
        time(&self.samples_s, cache)
    }
}

fn time(samples_s: &[f64], cache: CacheState) -> TimeOutput {
    let sorted = stats::sorted(samples_s);
    let [p10_s, median_s, p90_s] = [0.1, 0.5, 0.9].map(|q| stats::quantile(&sorted, q));
    TimeOutput { median_s, p10_s, p90_s, samples: samples_s.len(), each_s: samples_s.to_vec(), cache }
}

#[cfg(test)]
mod tests;
