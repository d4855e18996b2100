//! Export: runs a lesson's experiments and makes its note, without a window.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::base::day;
use crate::base::diag::Diagnostic;
use crate::base::units::counted;
use crate::device::DeviceSpec;
use crate::job::{Language, TraceSpec};
use crate::lesson::{Experiment, Lesson, Step};
use crate::notes::Report;
use crate::session::ask::Answers;
use crate::session::experiment::recording::{self, Recording, RecordingChoice};
use crate::session::experiment::step::{Conditions, settings_of, sweep_of};
use crate::session::experiment::sweep;
use crate::session::jobs;
use crate::session::jobs::setting::Setting;
use crate::session::learn::edits;
use crate::session::learn::saved::LessonSaved;
use crate::session::note::only::Only;
use crate::session::note::{self, Input, Pictures};
use crate::session::pack::quote::Quotes;
use crate::session::run::devices::{Choice, Devices};
use crate::session::run::model;
use crate::trace::record::{Backend, Ceilings, Device};

/// A note to make.
pub struct Wanted<'a> {
    pub lesson: &'a Arc<Lesson>,
    /// The learner's saved work.
    pub kept: LessonSaved,
    /// The steps whose text the note has.
    pub only: Only,
    /// The devices that can be modelled.
    pub models: Vec<DeviceSpec>,
    /// The one to model, by id; None for the measuring one.
    pub model: Option<String>,
    /// The pack's recordings, and the learner's own curves.
    pub recordings: Arc<[Recording]>,
    /// The figures that the pack quotes.
    pub quotes: Arc<Quotes>,
    /// The one to show beside the measured curves.
    pub recording: RecordingChoice,
    /// The backend that runs the experiments.
    pub backend: Choice,
    /// Whether what has no curve of this device is measured. Counts are always made.
    pub measure: bool,
    /// Seed of the random inputs.
    pub seed: u64,
    pub pictures: Pictures,
    /// The folder of pinned pictures; None if there is none.
    pub pins: Option<PathBuf>,
}

/// Runs every experiment that a step of the note shows, then builds the note. `say` gets a line for each thing that
/// begins.
///
/// # Errors
/// When the requested backend is not available. Later problems are in the second part of the result.
pub fn run_and_report(
    devices: &Devices,
    wanted: Wanted<'_>,
    cancel: &AtomicBool,
    say: &mut dyn FnMut(&str),
) -> Result<(Report, Vec<Diagnostic>), Diagnostic> {
    let Wanted {
        lesson,
        kept,
        only,
        models,
        model,
        recordings,
        quotes,
        recording,
        backend,
        measure,
        seed,
        pictures,
        pins,
    } = wanted;
    let (device, instead) = devices.resolve(backend)?;
    let mut problems: Vec<Diagnostic> = instead.into_iter().collect();
    let has_no_clock = device.backend == Backend::Simt;
    let ceilings =
        if measure || has_no_clock { devices.ceilings(device.backend, cancel) } else { Ok(Ceilings::default()) };
    let ceilings = ceilings.unwrap_or_else(|why| {
        problems.push(why.as_warning());
        Ceilings::default()
    });
    let mut sweeps = BTreeMap::new();
    let modelled = model::pick(&models, model.as_deref(), &device);
    let conditions = Conditions { seed, bounds_checks: true, modelled: modelled.as_ref() };
    // The tracer has no times. If a recording has them, it is better than what is predicted.
    let is_recorded =
        |experiment: &Experiment| recordings.iter().any(|r| !r.own && r.shown(lesson, experiment).is_some());
    let mut left_out = 0;
    for experiment in &lesson.experiments {
        let shows = |step: &&Step| step.experiment.as_ref() == Some(&experiment.id);
        let is_shown = lesson.steps.iter().filter(shows).any(|step| only.has(step, &kept));
        let left_to_recordings = has_no_clock && !experiment.quantity.is_traced() && is_recorded(experiment);
        if !is_shown || left_to_recordings || is_measured((&recordings, &recording), (lesson, experiment), &device) {
            continue;
        }
        if !measure && !has_no_clock && !experiment.quantity.is_traced() {
            left_out += 1;
        } else {
            say(&format!("{}: {}", lesson.id, experiment.title));
            let (found, mut wrong) = sweep_of(devices, lesson, experiment, &device, conditions, None, cancel);
            sweeps.insert(experiment.id.clone(), found);
            problems.append(&mut wrong);
        }
    }
    if left_out > 0 {
        let experiments = counted(left_out, "experiment");
        say(&format!("{}: {experiments} not measured on {}: --measure does that", lesson.id, device.name));
    }
    say(&format!("{}: writing the note", lesson.id));
    let setting = Setting {
        lesson: Arc::new(edits::with(lesson, &kept.edits)),
        plain: lesson.clone(),
        params: jobs::defaults(lesson),
        seed,
        bounds_checks: true,
        warp_width: TraceSpec::default().warp_width,
        language: Language::default(),
    };
    let input = Input {
        setting,
        kept,
        only,
        device,
        ceilings,
        models: models.into(),
        model,
        recordings,
        quotes,
        recording,
        sweeps,
        answers: Answers::default(),
        created: day::today(),
        pictures,
        pins,
    };
    let (report, mut wrong) = note::build(&input, cancel, &mut |_, _| ());
    problems.append(&mut wrong);
    Ok((report, problems))
}

/// Whether the learner has measured an experiment on this device; the note then shows that instead of measuring again.
fn is_measured(
    (recordings, choice): (&[Recording], &RecordingChoice),
    (lesson, experiment): (&Lesson, &Experiment),
    device: &Device,
) -> bool {
    let all: Vec<_> = recordings.iter().filter_map(|r| r.shown(lesson, experiment)).collect();
    let shown = recording::chosen(&all, choice, Some(device), false).map(|place| all[place]);
    let planned = sweep::plan(lesson, experiment, device, &settings_of(lesson, experiment, device)).points.len();
    shown.is_some_and(|(r, shown)| {
        let is_same_device = (&r.device, r.backend) == (&device.name, device.backend);
        let is_whole = shown.changed.is_empty() && shown.sweep.points.len() >= planned;
        r.own && r.bounds_checks && is_same_device && is_whole
    })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use crate::gpu::simt;
    use crate::lesson::PackFiles;
    use crate::session::experiment::recording;

    #[test]
    fn what_the_window_measured_on_this_device_is_not_measured_again() {
        let (pack, _) = crate::session::load(&PackFiles::Embedded);
        let (packs, _) = recording::load(&PackFiles::Embedded, &pack);
        let lesson = pack.lessons.iter().find(|lesson| lesson.id == "one_loop").unwrap();
        let experiment = lesson.experiments.iter().find(|experiment| experiment.id == "speed").unwrap();
        let of_pack = packs.iter().find(|r| r.shown(lesson, experiment).is_some()).unwrap();
        let (name, backend) = (of_pack.device.clone(), of_pack.backend);
        let device = Device { name, backend, software: false, ..simt::device() };
        let own = Recording { own: true, bounds_checks: true, ..of_pack.clone() };
        let auto = RecordingChoice::Auto;
        let again = |recordings: &[Recording], choice, device: &Device| {
            !is_measured((recordings, choice), (lesson, experiment), device)
        };
        assert!(again(&packs, &auto, &device), "the pack's recordings are of another machine");
        let all: Vec<Recording> = packs.iter().cloned().chain([own.clone()]).collect();
        assert!(!again(&all, &auto, &device));
        assert!(again(&all, &auto, &Device { name: "Another GPU".to_owned(), ..device.clone() }));
        assert!(again(&all, &auto, &Device { software: true, ..device.clone() }));
        assert!(again(&all, &RecordingChoice::Hidden, &device), "it would not be shown");
        assert!(
            again(&[Recording { bounds_checks: false, ..own.clone() }], &auto, &device),
            "it was measured otherwise"
        );
        let mut part = own;
        part.shown.iter_mut().for_each(|shown| shown.sweep.points.truncate(3));
        assert!(again(&[part], &auto, &device), "points are missing");
    }
}
