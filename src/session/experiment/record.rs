//! Making a recording: runs every experiment that measures times, at the settings of the first step that shows it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::recording::{
    FOLDER, FORMAT_VERSION, RecordedCurve, RecordedExperiment, RecordedLibrary, RecordedPoint, Recording,
};
use super::step::{self, Conditions};
use super::sweep::{self, Sweep};
use crate::base::diag::{Diagnostic, did_you_mean};
use crate::lesson::{Experiment, Lesson, Pack};
use crate::session::jobs::fingerprint::fingerprint;
use crate::session::jobs::{self, share};
use crate::session::run;
use crate::session::run::devices::{Choice, Devices};
use crate::session::run::output::LibraryOutput;
use crate::session::run::ranks_run::Together;
use crate::trace::record::{Backend, Device};

/// Separator between the first and last day of a recording made on several days.
const TO: &str = " to ";

/// Seed of the random inputs.
const SEED: u64 = 1;

/// The experiments with these ids that measure times (all if no ids are given), of the lessons with these ids (or of
/// all lessons).
///
/// # Errors
/// When an id is of no lesson, or of no experiment of the lessons.
pub fn experiments<'a>(
    pack: &'a Pack,
    lessons: &[String],
    ids: &[String],
) -> Result<Vec<(&'a Arc<Lesson>, &'a Experiment)>, Diagnostic> {
    let lessons: Vec<&Arc<Lesson>> = match lessons {
        [] => pack.lessons.iter().collect(),
        ids => ids.iter().map(|id| run::lesson(pack, id)).collect::<Result<_, _>>()?,
    };
    let timed = |lesson: &&'a Arc<Lesson>| {
        let lesson = *lesson;
        lesson.experiments.iter().filter(|e| !e.quantity.is_traced()).map(move |experiment| (lesson, experiment))
    };
    let all: Vec<_> = lessons.iter().flat_map(timed).collect();
    for id in ids {
        if !all.iter().any(|(_, experiment)| experiment.id == *id) {
            return Err(Diagnostic::error(format!("there is no experiment `{id}` that a clock answers"))
                .hint(did_you_mean(id, all.iter().map(|(_, experiment)| experiment.id.as_str()))));
        }
    }
    Ok(all.into_iter().filter(|(_, experiment)| ids.is_empty() || ids.contains(&experiment.id)).collect())
}

/// How many ranks experiments have, at all points the same.
///
/// # Errors
/// When there is no such device, a program is not made for several processes, or numbers of ranks differ.
pub fn ranks(
    devices: &Devices,
    experiments: &[(&Arc<Lesson>, &Experiment)],
    choice: Choice,
) -> Result<usize, Vec<Diagnostic>> {
    let (device, _) = devices.resolve(choice).map_err(|why| vec![why])?;
    let mut found: Option<usize> = None;
    for (lesson, experiment) in experiments {
        let base = step::settings_of(lesson, experiment, &device);
        for (x, curve) in sweep::plan(lesson, experiment, &device, &base).points {
            let params = jobs::with(&base, &[(experiment.over.clone(), x)]);
            let error = |message: String| vec![Diagnostic::error(message).hint("choose experiments with --experiment")];
            let ranks = share::ranks(lesson, &curve.variant, &params)?;
            let ranks = ranks.ok_or_else(|| {
                error(format!("“{}” of `{}` is not made for several processes", experiment.title, lesson.id))
            })?;
            if let Some(other) = found.replace(ranks).filter(|other| *other != ranks) {
                return Err(error(format!("“{}” has {ranks} ranks, and before that were {other}", experiment.title)));
            }
        }
    }
    found.ok_or_else(|| vec![Diagnostic::error("there is nothing to record")])
}

/// Runs experiments on a device, here alone or `together` with other ranks. `date` is the day as YYYY-MM-DD; `say` gets
/// a line for each experiment that begins, and `keep` the recording after each, so that a stopped run loses one
/// experiment at most. Points that could not be measured are left out, and reported in the second part of the result.
///
/// # Errors
/// When there is no such device, or `keep` fails.
pub fn record(
    devices: &Devices,
    experiments: &[(&Arc<Lesson>, &Experiment)],
    (choice, mut together): (Choice, Option<&mut Together>),
    date: String,
    cancel: &AtomicBool,
    say: &mut dyn FnMut(&str),
    keep: &mut dyn FnMut(&Recording) -> Result<(), Diagnostic>,
) -> Result<(Recording, Vec<Diagnostic>), Diagnostic> {
    let (device, instead) = devices.resolve(choice)?;
    if let Some(why) = instead {
        return Err(why);
    }
    if device.backend == Backend::Simt {
        return Err(Diagnostic::error("there is no device to record: the tracer has no times")
            .hint("`warpbook doctor` says what was looked for"));
    }
    let mut recording = of_device(device.clone(), date, false, Vec::new());
    if let Some(together) = &together {
        recording.device = together.name(&device.name);
        recording.id = id(&recording.device, device.backend);
    }
    let mut problems = Vec::new();
    let conditions = Conditions { seed: SEED, bounds_checks: false, modelled: None };
    for (lesson, experiment) in experiments {
        say(&format!("{}: {}", lesson.id, experiment.title));
        let shared = together.as_deref_mut();
        let (found, mut wrong) = step::sweep_of(devices, lesson, experiment, &device, conditions, shared, cancel);
        recording.experiments.push(recorded(lesson, experiment, &found));
        problems.append(&mut wrong);
        keep(&recording)?;
        if together.as_ref().is_some_and(|together| together.is_over()) {
            break;
        }
    }
    Ok((recording, problems))
}

/// A recording merged with an earlier one's other experiments, in the pack's order. Experiments that a lesson no longer
/// has are left out.
///
/// # Errors
/// When the earlier one is of another device or driver: a recording has one of each.
pub fn joined(earlier: Recording, later: &Recording, pack: &Pack) -> Result<Recording, Diagnostic> {
    let of = |r: &Recording| (r.device.clone(), r.driver.clone(), r.api.clone(), r.bounds_checks);
    if of(&earlier) != of(later) {
        let name = |r: &Recording| format!("{}, {}, {}", r.device, r.driver, r.api);
        let message = format!("the file has a recording of {}, and this one is of {}", name(&earlier), name(later));
        return Err(Diagnostic::error(message).hint("record all lessons, or name another file with -o"));
    }
    let mut days: Vec<&str> = earlier.date.split(TO).chain(later.date.split(TO)).collect();
    days.sort_unstable();
    let date = match (days.first(), days.last()) {
        (Some(first), Some(last)) if first != last => format!("{first}{TO}{last}"),
        _ => later.date.clone(),
    };
    let is_new = |old: &RecordedExperiment| {
        later.experiments.iter().any(|new| (&new.lesson, &new.experiment) == (&old.lesson, &old.experiment))
    };
    let place = |recorded: &RecordedExperiment| {
        let lesson = pack.lessons.iter().position(|lesson| lesson.id == recorded.lesson)?;
        let mut all = pack.lessons[lesson].experiments.iter();
        Some((lesson, all.position(|experiment| experiment.id == recorded.experiment)?))
    };
    let is_gone =
        |old: &RecordedExperiment| place(old).is_none() && pack.lessons.iter().any(|lesson| lesson.id == old.lesson);
    let kept = earlier.experiments.into_iter().filter(|old| !is_new(old) && !is_gone(old));
    let mut experiments: Vec<_> = kept.chain(later.experiments.iter().cloned()).collect();
    experiments.sort_by_key(place);
    Ok(Recording { date, experiments, ..later.clone() })
}

/// A recording of what a device measured on a day, with or without guarded indices.
#[must_use]
pub fn of_device(device: Device, date: String, bounds_checks: bool, experiments: Vec<RecordedExperiment>) -> Recording {
    Recording {
        id: id(&device.name, device.backend),
        format_version: FORMAT_VERSION,
        device: device.name,
        driver: device.driver,
        api: device.api,
        backend: device.backend,
        date,
        program: crate::session::VERSION.to_owned(),
        bounds_checks,
        experiments,
        shown: Vec::new(),
        own: false,
    }
}

/// A sweep as a recording has it: points that failed are left out.
#[must_use]
pub fn recorded(lesson: &Lesson, experiment: &Experiment, found: &Sweep) -> RecordedExperiment {
    let curves = sweep::curves_of(lesson, experiment, found.backend).filter_map(|curve| {
        let of_curve = found.points.iter().filter(|p| p.kernel.id == curve.id && p.kernel.is_ok());
        let points = of_curve.filter_map(|p| {
            let time = p.kernel.time.as_ref()?;
            Some(RecordedPoint {
                x: p.x,
                bytes: p.kernel.bytes,
                flops: p.kernel.flops,
                cache: time.cache,
                samples_s: time.each_s.clone(),
                library: p.kernel.library.as_ref().and_then(library),
            })
        });
        let points: Vec<RecordedPoint> = points.collect();
        let values: Vec<f64> = points.iter().map(|point| point.x).collect();
        let fingerprint = fingerprint(lesson, curve, (&found.over, &values), &found.params, found.backend)?;
        Some(RecordedCurve { curve: curve.id.clone(), fingerprint, points })
    });
    RecordedExperiment {
        lesson: lesson.id.clone(),
        experiment: experiment.id.clone(),
        over: found.over.clone(),
        curves: curves.collect(),
        params: found.params.iter().filter(|(id, _)| **id != found.over).map(|(id, v)| (id.clone(), *v)).collect(),
    }
}

/// The samples of a library's call, if its result was right.
fn library(found: &LibraryOutput) -> Option<RecordedLibrary> {
    let time = found.time.as_ref().filter(|_| found.ok)?;
    let (name, version) = (found.name.clone(), found.version.clone());
    Some(RecordedLibrary { name, version, samples_s: time.each_s.clone() })
}

/// A recording's name: the device's and the backend's.
fn id(device: &str, backend: Backend) -> String {
    format!("{}-{}", plain(device), backend.name())
}

/// A text as a part of a file's name: its words in lower-case letters and digits, with hyphens between.
#[must_use]
pub fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

/// Where a recording belongs in a pack's folder.
#[must_use]
pub fn default_path(recording: &Recording, pack: &Path) -> PathBuf {
    pack.join(FOLDER).join(format!("{}.ron", recording.id))
}
