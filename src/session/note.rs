//! A lesson as a note: its prose with the figures of this machine, the measurements, and the learner's own words.

mod experiment;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::desk::state::{Sweep, key};
use super::devices::Devices;
use super::fill::{Fill, spoken_of};
use super::jobs::{self, Params, Purpose};
use super::model::{self, Predicted as Modelled};
use super::recording::Recording;
use super::run::{self, Done, Runner};
use super::saved::{LessonSaved, Predicted, RecordingChoice};
use super::staged;
use crate::base::diag::Diagnostic;
use crate::base::units::{figure as words, number, si};
use crate::device::{DeviceSpec, Occupancy};
use crate::job::TraceSpec;
use crate::lesson::scope::{Env, Results};
use crate::lesson::{Block, Inline, Kernel, Lesson, SceneKind, Step};
use crate::notes::{NoteBlock, Report, Section};
use crate::reference;
use crate::scene::explore::{self, ExploreView};
use crate::scene::roofline::Roofline;
use crate::scene::stage::{Painter, StageView};
use crate::scene::svg;
use crate::scene::waves::Spread;
use crate::trace::record::{Backend, Ceilings, Device, Record, Timing};
use crate::trace::{EventKind, Timeline};

/// Size of the stage's figure, in points.
const STAGE: [f32; 2] = [720.0, 440.0];
/// Width of an explorer's figure, in points.
const EXPLORER: f32 = 560.0;

/// What a note is made of besides the lesson's own figures, which are traced afresh.
#[derive(Clone)]
pub struct Input {
    /// The lesson.
    pub lesson: Arc<Lesson>,
    /// What the learner did and wrote.
    pub kept: LessonSaved,
    /// The learner's parameters; each step's own take precedence.
    pub params: Params,
    /// What measured.
    pub device: Device,
    /// What it can do.
    pub ceilings: Ceilings,
    /// The devices that can be modelled.
    pub models: Arc<[DeviceSpec]>,
    /// The one to model, by id; none for the measuring one.
    pub model: Option<String>,
    /// The pack's recordings.
    pub recordings: Arc<[Recording]>,
    /// The one to show beside the learner's own curves.
    pub recording: RecordingChoice,
    /// Measured sweeps, by experiment.
    pub sweeps: BTreeMap<String, Sweep>,
    /// Measured kernels, each with the key of the parameters that it was measured at.
    pub measured: BTreeMap<String, (String, Arc<Record>)>,
    /// The revision in those keys.
    pub revision: u64,
    /// Seed of the random inputs.
    pub seed: u64,
    /// Lanes in a warp of what is traced.
    pub warp_width: u32,
    /// The day, as YYYY-MM-DD.
    pub created: String,
}

/// Today's date in UTC, as YYYY-MM-DD.
#[must_use]
pub fn today() -> String {
    time::OffsetDateTime::now_utc().date().to_string()
}

/// Builds the note. What could not be traced is left out, and said in the second part.
pub fn build(devices: &Devices, input: &Input, cancel: &AtomicBool) -> (Report, Vec<Diagnostic>) {
    let mut builder = Builder {
        devices,
        input,
        cancel,
        problems: Vec::new(),
        plotted: Vec::new(),
        printed: Vec::new(),
        predicted: Vec::new(),
    };
    let sections = input.lesson.steps.iter().map(|step| builder.section(step)).collect();
    let report = Report {
        title: input.lesson.title.clone(),
        lesson: input.lesson.id.clone(),
        created: input.created.clone(),
        meta: meta(input),
        sections,
    };
    (report, builder.problems)
}

fn meta(input: &Input) -> Vec<(String, String)> {
    let params: Vec<String> = input.params.iter().map(|(id, v)| format!("{id} = {v}")).collect();
    let none_if_empty = |text: &str| if text.is_empty() { "none".to_owned() } else { text.to_owned() };
    [
        ("device", input.device.name.clone()),
        ("driver", none_if_empty(&input.device.driver)),
        ("backend", input.device.backend.name().to_owned()),
        ("interface", none_if_empty(&input.device.api)),
        ("program", format!("warpbook {}", super::VERSION)),
        ("seed", input.seed.to_string()),
        ("lanes in a traced warp", input.warp_width.to_string()),
        ("parameters", params.join(", ")),
    ]
    .into_iter()
    .map(|(key, value)| (key.to_owned(), value))
    .collect()
}

struct Builder<'a> {
    devices: &'a Devices,
    input: &'a Input,
    cancel: &'a AtomicBool,
    problems: Vec<Diagnostic>,
    /// Experiments that have their figure already.
    plotted: Vec<String>,
    /// Kernels that have their source already.
    printed: Vec<String>,
    /// Keys of what has its predicted time already.
    predicted: Vec<String>,
}

impl Builder<'_> {
    fn section(&mut self, step: &Step) -> Section {
        let lesson = self.input.lesson.clone();
        let params = jobs::with(&self.input.params, &step.set);
        let (mut results, shown) = self.results(step, &params);
        results.insert_ceilings(&self.input.ceilings);
        let env = Env::new(&lesson, &params, &results);
        let fill = Fill { env: &env, params: &params };
        let mut blocks = Vec::new();
        let mut prose = Vec::new();
        for block in &step.blocks {
            match block {
                Block::Predict(id) => {
                    flush(&mut prose, &mut blocks);
                    blocks.extend(self.prediction(id, &fill));
                }
                Block::Exercise => {
                    flush(&mut prose, &mut blocks);
                    blocks.extend(self.exercise(&fill));
                }
                Block::Explore(name) => {
                    flush(&mut prose, &mut blocks);
                    blocks.extend(self.explored(step, name));
                }
                other => prose.push(fill.block(other)),
            }
        }
        flush(&mut prose, &mut blocks);
        blocks.extend(self.stage(step, &params, shown.as_ref()));
        blocks.extend(shown.map(|done| self.predicted(step, &params, &done)).unwrap_or_default());
        blocks.extend(self.experiment(step));
        if let Some(words) = self.input.kept.words.get(&step.id).filter(|w| !w.trim().is_empty()) {
            blocks.push(NoteBlock::OwnWords(words.clone()));
        }
        Section { title: step.title.clone(), blocks }
    }

    /// Traces what the step's prose speaks of, and the kernel on its stage.
    fn results(&mut self, step: &Step, params: &Params) -> (Results, Option<Done>) {
        let lesson = self.input.lesson.clone();
        let (mut results, mut shown) = (Results::default(), None);
        let mut ids = spoken_of(&lesson, step);
        if !ids.contains(&step.kernel) {
            ids.push(step.kernel.clone());
        }
        for kernel in lesson.kernels.iter().filter(|k| ids.contains(&k.id)) {
            if !kernel.runs_on(Backend::Simt) {
                if let Some(record) = self.measured(kernel, params) {
                    let env = Env::fixed(&lesson.params, &lesson.values, params);
                    if let (Ok(bytes), Ok(flops)) = (env.eval(&kernel.bytes), env.eval(&kernel.flops)) {
                        results.insert_record(&kernel.id, record, bytes, flops);
                    }
                }
                continue;
            }
            let heat = kernel.id == step.kernel && step.scene == SceneKind::Heat;
            let Some(done) = self.trace(kernel, params, TraceSpec { heat, ..self.spec() }) else { continue };
            results.insert_record(&kernel.id, &done.record, done.bytes, done.flops);
            if let Some(timing) = self.timing(kernel, params) {
                results.insert_timing(&kernel.id, timing, done.bytes, done.flops);
            }
            if kernel.id == step.kernel {
                shown = Some(done);
            }
        }
        (results, shown)
    }

    /// What was measured of a kernel at these parameters: a time of others has no place here.
    fn measured(&self, kernel: &Kernel, params: &Params) -> Option<&Record> {
        let wanted = key(&self.input.lesson, kernel, params, self.input.revision);
        self.input.measured.get(&kernel.id).filter(|(of, _)| *of == wanted).map(|(_, record)| &**record)
    }

    /// Its time.
    fn timing(&self, kernel: &Kernel, params: &Params) -> Option<&Timing> {
        self.measured(kernel, params)?.timing.as_ref()
    }

    /// What the model of a device says of the kernel on the stage, beside what was measured; what it takes for granted, the first time.
    fn predicted(&mut self, step: &Step, params: &Params, done: &Done) -> Vec<NoteBlock> {
        let input = self.input;
        let lesson = &input.lesson;
        let Some(kernel) = lesson.kernel(&step.kernel) else { return Vec::new() };
        let of = key(lesson, kernel, params, input.revision);
        let chosen = model::pick(&input.models, input.model.as_deref(), &input.device);
        let (Some(chosen), Some(launch), Some(trace)) = (chosen, &done.launch, &done.record.trace) else {
            return Vec::new();
        };
        if self.predicted.contains(&of) {
            return Vec::new();
        }
        let measured_s = self.timing(kernel, params).map(|timing| timing.median_s);
        let traced = model::Traced { launch, trace, needs: Some((done.bytes, done.flops)) };
        let found = model::predicted(&chosen, &traced, &input.ceilings, measured_s);
        let mut blocks = vec![prediction_table(&step.id, &kernel.title, &found, measured_s)];
        if self.predicted.is_empty() {
            let said = found.missing.iter().chain(&found.assumptions);
            let entry = |text: &str| vec![Block::Paragraph(vec![Inline::Text(text.to_owned())])];
            blocks.push(NoteBlock::Prose(vec![
                Block::Paragraph(vec![Inline::Text("What the prediction takes for granted:".to_owned())]),
                Block::List(None, said.map(|said| entry(&said.text)).collect()),
            ]));
        }
        self.predicted.push(of);
        blocks
    }

    fn spec(&self) -> TraceSpec {
        TraceSpec { warp_width: self.input.warp_width, ..TraceSpec::default() }
    }

    fn trace(&mut self, kernel: &Kernel, params: &Params, spec: TraceSpec) -> Option<Done> {
        let purpose =
            Purpose { seed: self.input.seed, check: true, measure: None, trace: Some(spec), bounds_checks: true };
        let lesson: &Lesson = &self.input.lesson;
        let backend = Backend::Simt;
        let runner = Runner { devices: self.devices, backend, lesson, purpose: &purpose, cancel: self.cancel };
        match runner.kernel(kernel, params) {
            Ok(done) => {
                self.problems.extend(run::failed_check(&kernel.file, &done.record));
                Some(done)
            }
            Err(mut problems) => {
                self.problems.append(&mut problems);
                None
            }
        }
    }

    /// The stage at what the step wants seen, how to see it again, and the kernel where it is new.
    fn stage(&mut self, step: &Step, params: &Params, grid: Option<&Done>) -> Vec<NoteBlock> {
        let lesson = self.input.lesson.clone();
        let Some(kernel) = lesson.kernel(&step.kernel) else { return Vec::new() };
        if !kernel.runs_on(Backend::Simt) {
            return self.untraced(&lesson, kernel, params);
        }
        let spec = TraceSpec { timeline_workgroups: vec![0], only_timeline_workgroups: true, ..self.spec() };
        let Some(Done { record, .. }) = self.trace(kernel, params, spec) else { return Vec::new() };
        let Some(timeline) = record.timeline.map(Arc::new) else { return Vec::new() };
        let events: Vec<usize> = timeline.of_warp(0, 0).collect();
        let ordinal = first_to_see(&timeline, &events, &kernel.source, &step.watch);
        #[expect(clippy::cast_precision_loss, reason = "a workgroup has far fewer than 2^24 events")]
        let position = ordinal as f32 + 0.99;
        let spread = grid.and_then(|done| self.spread(done));
        let roofline = (step.scene == SceneKind::Roofline).then(|| self.roofline(kernel, params, grid));
        let view = StageView {
            heat: grid.and_then(|done| done.record.heat.as_ref()),
            spread: spread.as_ref(),
            roofline: roofline.as_ref(),
            position,
            ..StageView::still(step.scene, &timeline, STAGE)
        };
        let frame = Painter::default().frame(&view);
        let mut blocks: Vec<NoteBlock> = self.source(&lesson, kernel, params).into_iter().collect();
        blocks.extend([
            NoteBlock::Figure {
                id: format!("{}-stage", step.id),
                caption: format!("{}: {}, traced.", kernel.title, step.scene.about()),
                alt: frame.alt.clone(),
                svg: svg::adaptive(&frame),
            },
            NoteBlock::Command(format!(
                "warpbook run {} --kernel {}{} --backend simt --seed {}{}",
                lesson.id,
                kernel.id,
                settings(params),
                self.input.seed,
                warps(self.input.warp_width)
            )),
        ]);
        blocks
    }

    /// What stands in a stage's place where a kernel is written in CUDA C++ only.
    fn untraced(&mut self, lesson: &Lesson, kernel: &Kernel, params: &Params) -> Vec<NoteBlock> {
        let mut blocks: Vec<NoteBlock> = self.source(lesson, kernel, params).into_iter().collect();
        let why =
            format!("{}: written in CUDA C++ only, which the tracer does not run, so there is no trace.", kernel.title);
        let seed = self.input.seed;
        blocks.extend([
            NoteBlock::Prose(vec![Block::Paragraph(vec![Inline::Text(why)])]),
            NoteBlock::Command(format!(
                "warpbook run {} --kernel {}{} --backend cuda --seed {seed}",
                lesson.id,
                kernel.id,
                settings(params)
            )),
        ]);
        blocks
    }

    /// A kernel's text as it runs at some parameters, where the note has not printed it yet.
    fn source(&mut self, lesson: &Lesson, kernel: &Kernel, params: &Params) -> Option<NoteBlock> {
        if self.printed.contains(&kernel.id) {
            return None;
        }
        self.printed.push(kernel.id.clone());
        let text = jobs::source(lesson, kernel, params).to_string();
        Some(NoteBlock::Source { file: kernel.file.clone(), text })
    }

    /// How a traced grid spreads over the modelled device.
    fn spread(&self, done: &Done) -> Option<Spread> {
        let chosen = model::pick(&self.input.models, self.input.model.as_deref(), &self.input.device)?;
        staged::spread(&chosen, done.launch.as_ref()?, false)
    }

    /// Where the kernels of a ladder stand; all that can be traced are.
    fn roofline(&mut self, kernel: &Kernel, params: &Params, grid: Option<&Done>) -> Roofline {
        let input = self.input;
        let (mut bytes, mut medians_s) = (BTreeMap::new(), BTreeMap::new());
        for rung in staged::rungs(&input.lesson, kernel) {
            medians_s.extend(self.timing(rung, params).map(|timing| (rung.id.as_str(), timing.median_s)));
            let known = grid.filter(|_| rung.id == kernel.id).and_then(|done| done.record.trace.clone());
            let fresh = |builder: &mut Self| builder.trace(rung, params, builder.spec())?.record.trace;
            let traced = known.or_else(|| rung.cuda_only.is_none().then(|| fresh(self)).flatten());
            bytes.extend(traced.map(|trace| (rung.id.as_str(), staged::traced_bytes(&trace))));
        }
        staged::Known::for_note(input, params, bytes, medians_s).roofline(kernel)
    }

    fn experiment(&mut self, step: &Step) -> Vec<NoteBlock> {
        let lesson = self.input.lesson.clone();
        let Some(id) = &step.experiment else { return Vec::new() };
        if self.plotted.contains(id) {
            return Vec::new();
        }
        let Some(experiment) = lesson.experiments.iter().find(|e| e.id == *id) else { return Vec::new() };
        let found = self.input.sweeps.get(id).filter(|sweep| !sweep.points.is_empty());
        let Some(found) = found else { return Vec::new() };
        self.plotted.push(id.clone());
        let mut blocks = experiment::figure(self.input, &lesson, experiment, found);
        blocks.extend(experiment::recorded(self.input, &lesson, experiment));
        blocks
    }

    fn prediction(&self, id: &str, fill: &Fill<'_>) -> Option<NoteBlock> {
        let prediction = self.input.lesson.predictions.iter().find(|p| p.id == id)?;
        let kept: Option<&Predicted> = self.input.kept.predictions.get(id);
        let answer = kept.and_then(|k| k.answer.as_ref());
        let shown = |value: Option<f64>| value.map(|v| crate::base::units::figure(v, &prediction.unit));
        Some(NoteBlock::Prediction {
            question: fill.inlines(&prediction.question),
            answer: kept.and_then(|k| prediction.options.get(k.choice)).map(|(label, _)| label.clone()),
            measured: shown(answer.and_then(|a| a.measured)),
            traced: shown(answer.and_then(|a| a.traced)),
            // The explanation gives the answer away: it is for those who have predicted.
            because: if answer.is_some() { fill.inlines(&prediction.because) } else { Vec::new() },
        })
    }

    /// What an explorer shows at the learner's own point.
    fn explored(&self, step: &Step, name: &str) -> Option<NoteBlock> {
        let (explorer, at) = (reference::explorer(name)?, self.input.kept.explored());
        let frame = explore::picture(&ExploreView { explorer, at: &at, spelled: (0, 0), width: EXPLORER }).frame;
        Some(NoteBlock::Figure {
            id: format!("{}-{name}", step.id),
            caption: "At my own logits, computed in f64.".to_owned(),
            alt: frame.alt.clone(),
            svg: svg::adaptive(&frame),
        })
    }

    fn exercise(&self, fill: &Fill<'_>) -> Vec<NoteBlock> {
        let Some(exercise) = &self.input.lesson.exercise else { return Vec::new() };
        let mut blocks = vec![NoteBlock::Prose(exercise.prompt.iter().map(|b| fill.block(b)).collect())];
        let kept = &self.input.kept;
        let mut source = |file: &str, text: &str| {
            blocks.push(NoteBlock::Source { file: file.to_owned(), text: text.to_owned() });
        };
        if let Some(solution) = &kept.solution {
            source("my kernel, which reaches the goal", solution);
        }
        if let Some(edited) = kept.exercise.as_ref().filter(|e| kept.solution.as_ref() != Some(e)) {
            source("my kernel, as last edited", edited);
        }
        blocks
    }
}

fn flush(prose: &mut Vec<Block>, blocks: &mut Vec<NoteBlock>) {
    if !prose.is_empty() {
        blocks.push(NoteBlock::Prose(std::mem::take(prose)));
    }
}

/// The place among `events` of what a step wants seen first: the first access on the source line that holds `watch`, else the costliest
/// access, the first of equals; 0 where nothing is accessed.
#[must_use]
pub fn first_to_see(timeline: &Timeline, events: &[usize], source: &str, watch: &str) -> usize {
    let line =
        (1_u32..).zip(source.lines()).find(|(_, text)| !watch.is_empty() && text.contains(watch)).map(|(n, _)| n);
    let cost = |index: &usize| match timeline.events[*index].kind {
        EventKind::Access { cost, .. } => Some(cost),
        EventKind::Subgroup { .. } | EventKind::Barrier | EventKind::Branch { .. } => None,
    };
    let watched = events.iter().position(|i| cost(i).is_some() && Some(timeline.events[*i].line) == line);
    let most = events.iter().filter_map(cost).max();
    watched.or_else(|| events.iter().position(|i| most.is_some() && cost(i) == most)).unwrap_or(0)
}

/// A prediction as a table of one row.
fn prediction_table(step: &str, kernel: &str, found: &Modelled, measured_s: Option<f64>) -> NoteBlock {
    let none = || "–".to_owned();
    let whose = if found.device.this_machine { "the device that measured" } else { "a model, not this machine" };
    let held = found.occupancy.as_ref();
    let limited =
        |o: &Occupancy| format!("{}, by {}", o.fraction.map_or_else(none, |f| words(f, "%")), o.limited_by.name());
    let columns = [
        ("kernel", kernel.to_owned()),
        ("predicted", found.time_words().unwrap_or_else(none)),
        ("bound by", found.bound.map_or_else(none, |bound| bound.name().to_owned())),
        ("occupancy, limited", held.map_or_else(none, limited)),
        ("waves", found.waves.map_or_else(none, |w| number((w.waves * 100.0).round() / 100.0))),
        ("measured", measured_s.map_or_else(none, |s| si(s, "s"))),
        ("predicted over measured, less 1", found.error_words().unwrap_or_else(none)),
    ];
    NoteBlock::Data {
        id: format!("{step}-predicted"),
        caption: format!("Predicted from the trace, for {} ({whose}).", found.device.name),
        header: columns.iter().map(|(name, _)| (*name).to_owned()).collect(),
        rows: vec![columns.into_iter().map(|(_, value)| value).collect()],
    }
}

/// The option that asks for warps of this width, where it is not the usual one.
fn warps(width: u32) -> String {
    if width == TraceSpec::default().warp_width { String::new() } else { format!(" --warp {width}") }
}

fn settings(params: &Params) -> String {
    params.iter().map(|(id, value)| format!(" --set {id}={value}")).collect()
}
