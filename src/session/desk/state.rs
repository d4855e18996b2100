//! The window's state: data only, changed by commands and events.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use super::covers::Covers;
use super::diary::Diary;
use super::found::staged;
pub use super::found::{DeviceState, Found};
use super::opening::Opening;
pub use super::place::Place;
use super::status::{Activity, Status};
use super::texts::TextFile;
pub use super::trials::{Trials, Turned};
use crate::base::diag::Diagnostic;
use crate::base::units::number;
use crate::device::DeviceSpec;
use crate::figures::passes::Passes;
use crate::figures::{Machine, Traced, ask};
use crate::gpu::simt;
use crate::job::Language;
use crate::lesson::scope::{Env, Results};
use crate::lesson::{AnswerKind, Block, Lesson, Pack, PackFiles, Prediction, Quote, Step, Variant};
use crate::session::experiment::recording::{self, Recording};
use crate::session::experiment::sweep::{Sweep, device_for};
use crate::session::jobs::setting::{language_of, parameters_of};
use crate::session::learn::edits::{self, Edit};
use crate::session::learn::saved::{LessonSaved, Saved};
use crate::session::pack::quote::{Quoted, Quotes};
use crate::session::run::compare::{self, Figure, Side};
use crate::session::run::devices::Choice;
use crate::session::run::model::{self, Chosen, Predicted};
use crate::session::run::output::TimeOutput;
use crate::session::run::pipeline;
use crate::session::run::whole::whole;
use crate::session::show::staged::Sources;
use crate::trace::Timeline;
use crate::trace::provenance::Origin;
use crate::trace::record::{Backend, Ceilings, Device, Record};

/// Everything that views read.
#[derive(Default)]
pub struct State {
    /// The pack.
    pub library: Library,
    /// Where the learner is.
    pub place: Place,
    /// Results at that place.
    pub found: Found,
    /// The learner's trials there.
    pub trials: Trials,
    /// The lessons' pictures on the start page.
    pub covers: Covers,
    /// The learner's text file.
    pub text: TextFile,
    /// Activities, messages, and whether the learner's work is on disk.
    pub status: Status,
    /// The state that is saved on disk.
    pub saved: Saved,
    /// The learner's story, and the review that is under way.
    pub diary: Diary,
}

/// A pack as it was read from its files.
#[derive(Default)]
pub struct Library {
    /// The lessons, as last read without error.
    pub pack: Pack,
    /// The devices that can be modelled.
    pub models: Arc<[DeviceSpec]>,
    /// The pack's recordings.
    pub recordings: Arc<[Recording]>,
    /// The figures that the pack quotes.
    pub quotes: Arc<Quotes>,
    /// Problems of the pack as it is on disk now.
    pub problems: Vec<Diagnostic>,
    /// The folder of the learner's own kernels, each a lesson.
    pub own: Option<PathBuf>,
    /// The kernel of the learner's that is being set up.
    pub opening: Option<Opening>,
    /// The lesson to open once the packs are read again, by its id.
    pub wanted: Option<String>,
    /// How many lessons were opened so.
    pub watched: u32,
}

impl Library {
    /// Whether a lesson is of a kernel of the learner's own.
    #[must_use]
    pub fn is_own(&self, lesson: &Lesson) -> bool {
        matches!((&lesson.files, &self.own), (PackFiles::Folder(folder), Some(own)) if folder == own)
    }
}

impl State {
    /// The passes of the program on the bench, but for those that are known not to be launched at these settings; None
    /// if it has only one.
    #[must_use]
    pub fn passes(&self) -> Option<Passes> {
        let lesson = self.place.lesson.as_ref()?;
        let job = self.found.compiled.job()?;
        let traced = self.traced().map(|traced| &*traced.record);
        let measured = self.found.measured(&self.place.bench.variant.program).map(|record| &**record);
        let passes = pipeline::passes(lesson, &self.place.bench.variant, job, traced, measured)?;
        Some(passes.launched(Some(self.place.pass())))
    }

    /// The step on the screen, if its pass is on the stage, or a version of it that the learner types.
    #[must_use]
    pub fn step_on_stage(&self) -> Option<&Step> {
        let typed = self.place.bench.edit.as_ref().and_then(|id| self.edit(id));
        let began = typed.filter(|edit| edit.variant() == self.place.bench.variant).map(|edit| edit.of);
        let variant = began.as_ref().unwrap_or(&self.place.bench.variant);
        let stage = &self.place.stage;
        self.place.step().filter(|step| step.variant == *variant && (stage.followed || step.pass == stage.pass))
    }

    /// The tracer's results for the program on the bench.
    #[must_use]
    pub fn traced(&self) -> Option<&Traced> {
        self.found.traced(&self.place.bench.variant.program).map(|traced| &**traced)
    }

    /// The language that the program on the bench is traced in.
    #[must_use]
    pub fn traced_language(&self) -> Language {
        let Place { lesson, bench, options, .. } = &self.place;
        lesson.as_ref().map_or(Language::Wgsl, |lesson| language_of(lesson, &bench.variant, options.language))
    }

    /// The single accesses of the workgroup on the stage, of the program on the bench.
    #[must_use]
    pub fn timeline(&self) -> Option<&Arc<Timeline>> {
        self.found.timeline(&self.place.bench.variant.program, &self.place)
    }

    /// The measured ceilings of the device.
    #[must_use]
    pub fn ceilings(&self) -> Option<&Ceilings> {
        self.found.answers.known(self.measuring_backend()?, ask::Ceilings)?.ok().map(|ceilings| &**ceilings)
    }

    /// Why the device's ceilings could not be measured.
    #[must_use]
    pub fn unrated(&self) -> Option<&Diagnostic> {
        self.found.answers.known(self.measuring_backend()?, ask::Ceilings)?.err()?.first()
    }

    /// The origin that the learner asked about, or why it is unknown; None while it is being computed.
    #[must_use]
    pub fn origin(&self) -> Option<Result<&Arc<Origin>, &[Diagnostic]>> {
        let asked = self.place.asked.as_ref()?;
        let question = ask::Origin(asked.buffer.clone(), asked.index);
        self.found.answers.known(self.found.now.traced(&asked.program)?, question)
    }

    /// The machine code of the kernel on the stage, or why there is none; None while it is worked out, and where it is
    /// not shown.
    #[must_use]
    pub fn machine(&self) -> Option<Result<&Arc<Machine>, &[Diagnostic]>> {
        let at = self.found.now.traced(&self.place.bench.variant.program)?;
        self.found.answers.known(staged(at, &self.place), ask::Machine)
    }

    /// The lesson's sweeps, by experiment.
    #[must_use]
    pub fn sweeps(&self) -> Option<&BTreeMap<String, Sweep>> {
        self.found.sweeps.get(&self.place.lesson.as_ref()?.id)
    }

    /// The lesson's sweeps, by experiment.
    pub(super) fn sweeps_mut(&mut self) -> &mut BTreeMap<String, Sweep> {
        let id = self.place.lesson.as_ref().map(|lesson| lesson.id.clone()).unwrap_or_default();
        self.found.sweeps.entry(id).or_default()
    }

    /// The effect of a turned control on the pass on the stage: the control with its earlier value, and the figures
    /// before and now.
    #[must_use]
    pub fn turned(&self) -> Option<(&Turned, Vec<Figure>)> {
        let turned = self.trials.turned.as_ref().filter(|turned| turned.program == self.place.bench.variant)?;
        let place = self.place.pass();
        let traced = self.traced().map(|traced| &*traced.record);
        let timed = self.found.measured(&self.place.bench.variant.program).map(|record| &**record);
        let before = side(turned.traced.as_deref(), turned.measured.as_deref(), place);
        let figures = compare::figures(&before, &side(traced, timed, place));
        Some((turned, figures))
    }

    /// The learner's version of a kernel, by its id.
    #[must_use]
    pub fn edit(&self, id: &str) -> Option<Edit> {
        let lesson = self.place.lesson.as_ref()?;
        let kept = self.kept();
        let of_exercise = edits::exercise(lesson, id, &kept.exercises);
        of_exercise.or_else(|| kept.edits.iter().find(|edit| edit.id == id).cloned())
    }

    /// The exercise, by its id, that a version is the learner's solution of.
    #[must_use]
    pub fn exercise_of(&self, id: &str) -> Option<String> {
        Some(edits::solves(self.place.lesson.as_ref()?, id)?.id.clone())
    }

    /// The version in the editor.
    #[must_use]
    pub fn edited(&self) -> Option<Edit> {
        self.edit(self.place.bench.edit.as_ref()?)
    }

    /// The language of the version in the editor.
    #[must_use]
    pub fn edited_in(&self) -> Option<Language> {
        self.edited().map(|edit| edit.language)
    }

    /// The point that the explorer of the step on the screen looks at.
    #[must_use]
    pub fn explored(&self) -> crate::reference::Explored {
        self.kept().explored(self.place.step().map(|step| &step.figure))
    }

    /// The saved state of the lesson on the screen.
    #[must_use]
    pub fn kept(&self) -> &LessonSaved {
        static NOTHING: LazyLock<LessonSaved> = LazyLock::new(LessonSaved::default);
        let id = self.place.lesson.as_ref().map(|l| l.id.as_str()).unwrap_or_default();
        self.saved.lessons.get(id).unwrap_or(&NOTHING)
    }

    /// The device that experiments run on: the tracer if there is no device; None while that is unknown.
    #[must_use]
    pub fn acting_device(&self) -> Option<Device> {
        match &self.found.device {
            DeviceState::Starting => None,
            DeviceState::Ready(device) => Some(device.clone()),
            DeviceState::Missing(_) => Some(simt::device()),
        }
    }

    /// The activity for the status line: one at a time, measuring first.
    #[must_use]
    pub fn activity(&self) -> Option<&Activity> {
        self.status.activities.values().next()
    }

    /// The backend that measures now; None while there is only the tracer.
    #[must_use]
    pub fn measuring_backend(&self) -> Option<Backend> {
        match &self.found.device {
            DeviceState::Ready(device) if device.backend != Backend::Simt => Some(device.backend),
            _ => None,
        }
    }

    /// The backend that measures the program on the bench. CUDA does not run the WGSL that a learner types: then the
    /// graphics driver measures it and its original.
    #[must_use]
    pub fn bench_backend(&self) -> Option<Backend> {
        let typed = self.edited_in() == Some(Language::Wgsl);
        self.measuring_backend().map(|backend| if typed && backend == Backend::Cuda { Backend::Wgpu } else { backend })
    }

    /// The backend asked for.
    #[must_use]
    pub fn choice(&self) -> Choice {
        self.saved.backend
    }

    /// The device to model.
    pub(super) fn modelled(&self) -> Option<Chosen<'_>> {
        let measures = self.acting_device().unwrap_or_else(simt::device);
        model::pick(&self.library.models, self.saved.model.as_deref(), &measures)
    }

    /// The sources of pictures besides runs; `device` is the one that measures.
    pub(super) fn sources<'a>(&'a self, device: &'a Device) -> Sources<'a> {
        Sources {
            device,
            backend: self.bench_backend(),
            ceilings: self.ceilings().copied().unwrap_or_default(),
            models: &self.library.models,
            model: self.saved.model.as_deref(),
            recordings: if self.is_undecided() { &[] } else { &self.library.recordings },
            recording: &self.saved.recording,
            quotes: Some(&self.library.quotes),
            sweeps: self.sweeps(),
        }
    }

    /// The device model's prediction for the pass on the stage, as soon as it is traced.
    #[must_use]
    pub fn predicted(&self) -> Option<Predicted> {
        let (traced, place) = (self.traced()?, self.place.pass());
        let known = model::Traced::of_pass(&traced.job, traced.pass(place)?, place, traced.launch(place)?)?;
        let ceilings = self.ceilings().copied().unwrap_or_default();
        Some(model::predicted(&self.modelled()?, &known, &ceilings, self.measured_s()))
    }

    /// The median time of the pass on the stage, in seconds. None while it is not measured.
    #[must_use]
    pub fn measured_s(&self) -> Option<f64> {
        let record = self.found.measured(&self.place.bench.variant.program)?;
        Some(record.pass(self.place.pass())?.timing.as_ref()?.median_s)
    }

    /// The time of a traced program, or of its pass `only`, on the modelled device, in seconds. None while it is not
    /// traced, and if the device's caches are not known.
    #[must_use]
    pub fn predicted_s(&self, program: &str, only: Option<&str>) -> Option<f64> {
        let traced = self.found.traced(program)?;
        Some(whole((&traced.job, &traced.record), only, false, &self.modelled()?).ok()?.point?.point_s)
    }

    /// The value of an expression in the current state; None while something it needs is missing.
    #[must_use]
    pub fn evaluate(&self, expr: &crate::base::expr::Expr, results: &Results) -> Option<f64> {
        let lesson = self.place.lesson.as_ref()?;
        Env::new(lesson, &self.place.params, results).eval(expr).ok()
    }

    /// A quoted figure; None if its source is missing.
    #[must_use]
    pub fn quote(&self, quote: &Quote) -> Option<Quoted> {
        let lesson = self.place.lesson.as_ref()?;
        self.library.quotes.read(lesson, quote, &Env::fixed(&lesson.params, &lesson.values, &self.place.params))
    }

    /// The latest sweep of the experiment in the plot.
    #[must_use]
    pub fn sweep(&self) -> Option<&Sweep> {
        self.sweeps()?.get(&self.place.experiment()?.id)
    }

    /// The recordings that have data for the experiment in the plot.
    #[must_use]
    pub fn recorded(&self) -> Vec<recording::Of<'_>> {
        let Some((lesson, experiment)) = self.place.lesson.as_ref().zip(self.place.experiment()) else {
            return Vec::new();
        };
        self.library.recordings.iter().filter_map(|r| r.shown(lesson, experiment)).collect()
    }

    /// The recorded time of the program on the stage on the modelled device, at exactly these settings, and its
    /// recording. None if the settings are no experiment's, the program has several passes, or a question on the page
    /// asks for it.
    #[must_use]
    pub fn recorded_here(&self) -> Option<(&Recording, &TimeOutput)> {
        let (lesson, spec) = (self.place.lesson.as_ref()?, self.modelled()?.spec);
        let whole = self.place.program().is_some_and(|program| program.passes().len() == 1);
        let of_device = self.library.recordings.iter().filter(|recording| spec.is_adapter(&recording.device));
        let mut found = of_device.filter(|_| whole && !self.is_undecided()).filter_map(|recording| {
            Some((recording, recording.time_at(lesson, &self.place.bench.variant, &self.place.params)?))
        });
        found.next()
    }

    /// Whether the step asks for a prediction of times that the learner has not made yet: recorded curves would reveal
    /// it.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        let (Some(lesson), Some(step)) = (&self.place.lesson, self.place.step()) else { return false };
        let made = &self.kept().predictions;
        let timed = |asked: &&Prediction| match &asked.asks {
            AnswerKind::Choice(_, answer) | AnswerKind::Number(_, answer) => answer.measured.is_some(),
            AnswerKind::Curve(decl) => decl.of(lesson).is_some_and(|(experiment, _)| !experiment.quantity.is_traced()),
        };
        let asked = lesson.predictions.iter().filter(timed).filter(|asked| !made.contains_key(&asked.id));
        asked.map(|asked| Block::Predict(asked.id.clone())).any(|block| step.blocks.contains(&block))
    }

    /// The place in `recorded` of the one to show.
    #[must_use]
    pub fn chosen_recording(&self, recorded: &[recording::Of<'_>]) -> Option<usize> {
        let device = self.acting_device();
        recording::chosen(recorded, &self.saved.recording, device.as_ref(), self.sweep().is_some())
    }

    /// The differences between a sweep's settings and the current ones, in words; empty for a current one.
    #[must_use]
    pub fn differences(&self, sweep: &Sweep) -> Vec<String> {
        let Some(experiment) = self.place.experiment() else { return Vec::new() };
        let mut differences = self.other_settings(sweep);
        let device = self.acting_device().map(|device| device_for(experiment, &device));
        if device.is_some_and(|device| device.backend != sweep.backend || device.name != sweep.device) {
            differences.push(format!("on {}", sweep.device));
        }
        if sweep.backend != Backend::Simt && sweep.bounds_checks != self.place.options.bounds_checks {
            differences.push(format!("bounds checks {}", if sweep.bounds_checks { "on" } else { "off" }));
        }
        if sweep.backend == Backend::Simt && sweep.warp_width != self.place.options.warp_width {
            differences.push(format!("warps of {}", sweep.warp_width));
        }
        differences
    }

    /// The settings of a sweep that its experiment overrides, in words; empty if they equal the learner's.
    #[must_use]
    pub fn asked_settings(&self, sweep: &Sweep) -> Vec<String> {
        let (Some(lesson), Some(experiment)) = (&self.place.lesson, self.place.experiment()) else { return Vec::new() };
        let asked = experiment.at.iter().filter(|(id, value)| {
            sweep.params.get(id) == Some(value) && self.place.params.get(id) != Some(value) && *id != sweep.over
        });
        let known = asked.filter_map(|(id, value)| Some((lesson.param(id)?, value)));
        known.map(|(param, value)| format!("{} = {}", param.label, number(*value))).collect()
    }

    /// The parameters in which a sweep differs from the learner's, with its own values in words.
    #[must_use]
    pub fn other_settings(&self, sweep: &Sweep) -> Vec<String> {
        let (Some(lesson), Some(experiment)) = (&self.place.lesson, self.place.experiment()) else { return Vec::new() };
        // Only parameters that the curves depend on.
        let variants: Vec<&Variant> = experiment.curves.iter().map(|curve| &curve.variant).collect();
        let matters: Vec<String> = variants.into_iter().flat_map(|variant| parameters_of(lesson, variant)).collect();
        let params = lesson.params.iter().filter(|p| p.id != sweep.over && matters.contains(&p.id));
        // Settings that the experiment itself asks for are not deviations.
        let asked = |id: &str, value: Option<&f64>| experiment.at.iter().any(|(at, x)| at == id && Some(x) == value);
        let own = &self.place.params;
        params
            .filter(|p| sweep.params.get(&p.id) != own.get(&p.id) && !asked(&p.id, sweep.params.get(&p.id)))
            .filter_map(|p| Some(format!("{} = {}", p.label, p.words(*sweep.params.get(&p.id)?))))
            .collect()
    }
}

/// One side of a comparison of a pass: its counts, and its time.
fn side<'a>(traced: Option<&'a Record>, timed: Option<&'a Record>, place: usize) -> Side<'a> {
    let time = timed.and_then(|record| record.pass(place)?.timing.as_ref());
    Side {
        source: "",
        trace: traced.and_then(|record| record.pass(place)?.trace.as_ref()),
        machine_code: None,
        time_s: time.map(|time| (time.median_s, [time.p10_s, time.p90_s])),
    }
}

/// The figures of a pass in two traces.
pub(super) fn compared(before: &Record, after: &Record, place: usize) -> Vec<Figure> {
    compare::figures(&side(Some(before), None, place), &side(Some(after), None, place))
}
