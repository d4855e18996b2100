//! A lesson as a note: its prose with the figures of this machine, the measurements, and the learner's own words.

mod asked;
mod drawn;
mod experiment;
mod program;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::devices::Devices;
use super::fill::{Fill, spoken_of};
use super::jobs::{self, Params, Purpose};
use super::model::{self, Predicted as Modelled};
use super::quote::Quotes;
use super::recording::Recording;
use super::run::{Done, Runner};
use super::saved::{LessonSaved, RecordingChoice};
use super::setting::Setting;
use super::staged;
use super::sweep::Sweep;
use crate::base::diag::Diagnostic;
use crate::base::units::{digits3, si};
use crate::device::{DeviceSpec, Occupancy};
use crate::job::{Shown, TraceSpec};
use crate::lesson::scope::{Env, Results};
use crate::lesson::{Block, Inline, Kernel, Lesson, PackFiles, SceneKind, Step, Variant};
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
    /// The lesson at the learner's settings; each step's own parameters take precedence.
    pub setting: Setting,
    /// What the learner did and wrote.
    pub kept: LessonSaved,
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
    /// The figures that the pack quotes.
    pub quotes: Arc<Quotes>,
    /// The one to show beside the learner's own curves.
    pub recording: RecordingChoice,
    /// Measured sweeps, by experiment.
    pub sweeps: BTreeMap<String, Sweep>,
    /// Measured programs, each with the key of the settings that it was measured at.
    pub measured: BTreeMap<String, (String, Arc<Record>)>,
    /// The day, as YYYY-MM-DD.
    pub created: String,
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
    let sections = input.setting.lesson.steps.iter().map(|step| builder.section(step)).collect();
    let report = Report {
        title: input.setting.lesson.title.clone(),
        lesson: input.setting.lesson.id.clone(),
        created: input.created.clone(),
        meta: meta(input),
        sections,
    };
    (report, builder.problems)
}

fn meta(input: &Input) -> Vec<(String, String)> {
    let params: Vec<String> = input.setting.params.iter().map(|(id, v)| format!("{id} = {v}")).collect();
    let none_if_empty = |text: &str| if text.is_empty() { "none".to_owned() } else { text.to_owned() };
    [
        ("device", input.device.name.clone()),
        ("driver", none_if_empty(&input.device.driver)),
        ("backend", input.device.backend.name().to_owned()),
        ("interface", none_if_empty(&input.device.api)),
        ("program", format!("warpbook {}", super::VERSION)),
        ("seed", input.setting.seed.to_string()),
        ("lanes in a traced warp", input.setting.warp_width.to_string()),
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
        let lesson = self.input.setting.lesson.clone();
        let params = jobs::with(&self.input.setting.params, &step.set);
        let (mut results, shown) = self.results(step, &params);
        results.insert_ceilings(&self.input.ceilings);
        let env = Env::new(&lesson, &params, &results);
        let fill = Fill { lesson: &lesson, env: &env, params: &params, quotes: &self.input.quotes };
        let mut blocks = Vec::new();
        let mut prose = Vec::new();
        for block in &step.blocks {
            match block {
                Block::Predict(id) => {
                    flush(&mut prose, &mut blocks);
                    blocks.extend(asked::prediction(self.input, id, &fill));
                }
                Block::Exercise(id) => {
                    flush(&mut prose, &mut blocks);
                    blocks.extend(asked::exercise(self.input, id, &fill));
                }
                Block::Explore(name) => {
                    flush(&mut prose, &mut blocks);
                    blocks.extend(self.explored(step, name));
                }
                other => prose.push(fill.block(other)),
            }
        }
        prose.extend(fill.sources_of(&step.blocks));
        flush(&mut prose, &mut blocks);
        if let Some(done) = &shown {
            blocks.extend(program::blocks(&lesson, step, done, self.measured(&step.variant, &params)));
        }
        blocks.extend(self.stage(step, &params, shown.as_ref()));
        blocks.extend(shown.map(|done| self.predicted(step, &params, &done)).unwrap_or_default());
        blocks.extend(self.experiment(step));
        if let Some(words) = self.input.kept.words.get(&step.id).filter(|w| !w.trim().is_empty()) {
            blocks.push(NoteBlock::OwnWords(words.clone()));
        }
        Section { title: step.title.clone(), blocks }
    }

    /// Traces what the step's prose speaks of, and what is on its stage.
    fn results(&mut self, step: &Step, params: &Params) -> (Results, Option<Done>) {
        let lesson = self.input.setting.lesson.clone();
        let (mut results, mut shown) = (Results::default(), None);
        let spoken = spoken_of(&lesson, step);
        for program in lesson.programs.iter().filter(|p| p.id == step.variant.program || spoken.contains(&p.id)) {
            let is_shown = program.id == step.variant.program;
            let variant = if is_shown { step.variant.clone() } else { Variant::plain(&program.id) };
            if !lesson.runs_on(&variant, Backend::Simt) {
                self.measured(&variant, params)
                    .into_iter()
                    .for_each(|record| results.insert_record(&program.id, record));
                continue;
            }
            let heat = is_shown && step.scene == SceneKind::Heat;
            let pass = program.place_of(&step.pass).filter(|_| is_shown).unwrap_or(0);
            let spec = TraceSpec { heat, shown: Shown { pass, launch: 0 }, ..self.spec() };
            let Some(done) = self.trace(&variant, params, spec) else { continue };
            results.insert_record(&program.id, &done.record);
            if let Some(record) = self.measured(&variant, params) {
                results.insert_timing(&program.id, record);
            }
            if is_shown {
                shown = Some(done);
            }
        }
        (results, shown)
    }

    fn setting(&self, params: &Params) -> Setting {
        Setting { params: params.clone(), ..self.input.setting.clone() }
    }

    /// What was measured of a program at these parameters: a time of others has no place here.
    fn measured(&self, variant: &Variant, params: &Params) -> Option<&Record> {
        let wanted = self.setting(params).key(variant);
        self.input.measured.get(&variant.program).filter(|(of, _)| *of == wanted).map(|(_, record)| &**record)
    }

    /// The time of a program's pass.
    fn timing(&self, variant: &Variant, place: usize, params: &Params) -> Option<&Timing> {
        self.measured(variant, params)?.pass(place)?.timing.as_ref()
    }

    /// What the model of a device says of the pass on the stage, beside what was measured; what it takes for granted, the first time.
    fn predicted(&mut self, step: &Step, params: &Params, done: &Done) -> Vec<NoteBlock> {
        let input = self.input;
        let Some((place, kernel)) = on_stage(&input.setting.lesson, step) else { return Vec::new() };
        let of = format!("{} {place}", self.setting(params).key(&step.variant));
        let chosen = model::pick(&input.models, input.model.as_deref(), &input.device);
        let pass = done.record.pass(place);
        let (Some(chosen), Some(launch), Some(pass)) = (chosen, &done.launch(place), pass) else { return Vec::new() };
        let Some(trace) = pass.trace.as_ref().filter(|_| !self.predicted.contains(&of)) else { return Vec::new() };
        let measured_s = self.timing(&step.variant, place, params).map(|timing| timing.median_s);
        let traced = model::Traced {
            launch,
            trace,
            needs: Some(pass.work),
            launches: pass.launches,
            cached: model::may_be_cached(place, pass.launches),
        };
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
        TraceSpec { warp_width: self.input.setting.warp_width, ..TraceSpec::default() }
    }

    fn trace(&mut self, variant: &Variant, params: &Params, spec: TraceSpec) -> Option<Done> {
        let seed = self.input.setting.seed;
        // Of a part of the grid no result is right.
        let check = !spec.only_timeline_workgroups;
        let purpose = Purpose { seed, check, measure: None, trace: Some(spec), bounds_checks: true };
        let lesson: &Lesson = &self.input.setting.lesson;
        let backend = Backend::Simt;
        let runner = Runner { devices: self.devices, backend, lesson, purpose: &purpose, cancel: self.cancel };
        match runner.program(variant, params) {
            Ok(done) => {
                self.problems.extend(crate::session::verdict::failed_check(&done.job, &done.record));
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
        let lesson = self.input.setting.lesson.clone();
        let Some((place, kernel)) = on_stage(&lesson, step) else { return Vec::new() };
        // What the program keeps of its rounds is there already, and so is what an explorer shows.
        if matches!(step.scene, SceneKind::Rounds | SceneKind::Explore) {
            return self.source(step, kernel, params).into_iter().collect();
        }
        let mut blocks: Vec<NoteBlock> = self.source(step, kernel, params).into_iter().collect();
        if !lesson.runs_on(&step.variant, Backend::Simt) {
            let why = format!(
                "{}: written in CUDA C++ only, which the tracer does not run, so there is no trace.",
                kernel.title
            );
            blocks.push(NoteBlock::Prose(vec![Block::Paragraph(vec![Inline::Text(why)])]));
            let spread = drawn::spread(self.input, step, params, place);
            let roofline = (step.scene == SceneKind::Roofline).then(|| self.roofline(kernel, params, None));
            blocks.extend(drawn::picture(step, kernel, spread.as_ref(), roofline.as_ref()));
            blocks.push(self.command(step, params, Backend::Cuda));
            return blocks;
        }
        let launches = grid.and_then(|done| done.record.pass(place)).map_or(1, |pass| pass.launches);
        if step.scene == SceneKind::Contents {
            blocks.extend(self.contents(step, params, launches));
            blocks.push(self.command(step, params, Backend::Simt));
            return blocks;
        }
        let spec = TraceSpec {
            timeline_workgroups: vec![0],
            only_timeline_workgroups: true,
            shown: Shown { pass: place, launch: step.launch.min(launches).saturating_sub(1) },
            ..self.spec()
        };
        let Some(done) = self.trace(&step.variant, params, spec) else { return Vec::new() };
        let timeline = done.record.passes.into_iter().nth(place).and_then(|pass| pass.timeline);
        let Some(timeline) = timeline.map(Arc::new) else { return Vec::new() };
        let events: Vec<usize> = timeline.of_warp(0, 0).collect();
        let ordinal = first_to_see(&timeline, &events, kernel.source(), &step.watch, step.at);
        #[expect(clippy::cast_precision_loss, reason = "a workgroup has far fewer than 2^24 events")]
        let position = ordinal as f32 + 0.99;
        let spread = grid.and_then(|done| self.spread(done, place));
        let counted = self.input.quotes.counted(&lesson, &step.variant.program, params);
        let chosen = model::pick(&self.input.models, self.input.model.as_deref(), &self.input.device);
        let reach = chosen.and_then(|c| staged::reach(&c, &self.input.recordings, &lesson, &step.variant, params));
        let river = grid.and_then(|done| staged::river(done.record.pass(place)?, counted, reach));
        let roofline = (step.scene == SceneKind::Roofline).then(|| self.roofline(kernel, params, grid));
        let heat = grid.and_then(|done| done.record.pass(place)?.heat.as_ref());
        let view = StageView {
            heat,
            spread: spread.as_ref(),
            at: Some(step.at),
            river: river.as_ref(),
            roofline: roofline.as_ref(),
            position,
            ..StageView::still(step.scene, &timeline, STAGE)
        };
        let frame = Painter::default().frame(&view);
        blocks.push(NoteBlock::Figure {
            id: format!("{}-stage", step.id),
            caption: format!("{}: {}, traced.", kernel.title, step.scene.scene().about),
            alt: frame.alt.clone(),
            svg: svg::adaptive(&frame),
        });
        blocks.push(self.command(step, params, Backend::Simt));
        blocks
    }

    /// How to run what a step shows again.
    fn command(&self, step: &Step, params: &Params, backend: Backend) -> NoteBlock {
        let Setting { lesson, seed, warp_width, .. } = &self.input.setting;
        NoteBlock::Command(format!(
            "warpbook{} run {}{}{} --backend {} --seed {seed}{}",
            of_pack(lesson),
            lesson.id,
            named(lesson, &step.variant),
            settings(params),
            backend.name(),
            if backend == Backend::Simt { warps(*warp_width) } else { String::new() }
        ))
    }

    /// A kernel's text as it runs at some parameters, where the note has not printed it yet.
    fn source(&mut self, step: &Step, kernel: &Kernel, params: &Params) -> Option<NoteBlock> {
        // Where the learner is to write the kernel, the note has the exercise's starter instead.
        let asked = |id: &str| self.input.setting.lesson.exercises.iter().any(|e| e.id == id && e.pass == step.pass);
        if self.printed.contains(&kernel.id) || step.exercises().any(asked) {
            return None;
        }
        self.printed.push(kernel.id.clone());
        let text = jobs::source(&self.input.setting.lesson, &step.variant, &step.pass, params)?;
        Some(NoteBlock::Source { file: kernel.file().to_owned(), text: text.to_string() })
    }

    /// How a traced grid spreads over the modelled device.
    fn spread(&self, done: &Done, place: usize) -> Option<Spread> {
        let chosen = model::pick(&self.input.models, self.input.model.as_deref(), &self.input.device)?;
        staged::spread(&chosen, &done.launch(place)?, false)
    }

    /// Where the kernels of a ladder stand; all that can be traced are.
    fn roofline(&mut self, kernel: &Kernel, params: &Params, grid: Option<&Done>) -> Roofline {
        let input = self.input;
        let lesson = &input.setting.lesson;
        let (mut bytes, mut medians_s) = (BTreeMap::new(), BTreeMap::new());
        // Kernels that run in a program's place only have no run of their own.
        for rung in staged::rungs(lesson, kernel).filter(|rung| lesson.program(&rung.id).is_some()) {
            let variant = Variant::plain(&rung.id);
            medians_s.extend(self.timing(&variant, 0, params).map(|timing| (rung.id.as_str(), timing.median_s)));
            let known = grid.filter(|done| done.record.program == rung.id).and_then(|done| done.record.total());
            let fresh = |builder: &mut Self| builder.trace(&variant, params, builder.spec())?.record.total();
            let traced = known.or_else(|| rung.cuda_only().is_none().then(|| fresh(self)).flatten());
            bytes.extend(traced.map(|trace| (rung.id.as_str(), staged::SECTOR * trace.global_sectors())));
        }
        let needs = grid.map(|done| done.record.work);
        staged::Known::for_note(input, params, bytes, medians_s).roofline(kernel, needs)
    }

    fn experiment(&mut self, step: &Step) -> Vec<NoteBlock> {
        let lesson = self.input.setting.lesson.clone();
        let Some(id) = &step.experiment else { return Vec::new() };
        if self.plotted.contains(id) {
            return Vec::new();
        }
        let Some(experiment) = lesson.experiments.iter().find(|e| e.id == *id) else { return Vec::new() };
        self.plotted.push(id.clone());
        let found = self.input.sweeps.get(id).filter(|sweep| !sweep.points.is_empty());
        let figure = |found| experiment::figure(self.input, &lesson, experiment, found);
        let mut blocks = found.map(figure).unwrap_or_default();
        blocks.extend(experiment::recorded(self.input, &lesson, experiment));
        blocks
    }

    /// What an explorer shows at the learner's own point.
    fn explored(&self, step: &Step, name: &str) -> Option<NoteBlock> {
        let (explorer, at) = (reference::explorer(name)?, self.input.kept.explored(step.block));
        let frame = explore::picture(&ExploreView { explorer, at: &at, spelled: (0, 0), width: EXPLORER }).frame;
        Some(NoteBlock::Figure {
            id: format!("{}-{name}", step.id),
            caption: "At my own settings.".to_owned(),
            alt: frame.alt.clone(),
            svg: svg::adaptive(&frame),
        })
    }
}

/// The pass on a step's stage, by its place, and its kernel.
fn on_stage<'a>(lesson: &'a Lesson, step: &Step) -> Option<(usize, &'a Kernel)> {
    let place = lesson.program(&step.variant.program)?.place_of(&step.pass)?;
    Some((place, (*lesson.launched(&step.variant).get(place)?)?))
}

/// The option that names the pack that a lesson is from; nothing of the one that the program comes with.
pub(super) fn of_pack(lesson: &Lesson) -> String {
    let place =
        lesson.programs.first().filter(|_| lesson.files != PackFiles::Embedded).map(|program| &program.place.file);
    let pack = place.and_then(|file| file.strip_suffix(&format!("lessons/{}/lesson.ron", lesson.id)));
    match pack.map(|pack| pack.trim_end_matches('/')) {
        None => String::new(),
        Some("") => " --pack .".to_owned(),
        Some(pack) if pack.contains(' ') => format!(" --pack '{pack}'"),
        Some(pack) => format!(" --pack {pack}"),
    }
}

/// The options that name a program, and the kernels in its places.
pub(super) fn named(lesson: &Lesson, variant: &Variant) -> String {
    let alone = lesson.program(&variant.program).is_none_or(|program| program.alone);
    let rungs = variant.rungs.iter().map(|(pass, kernel)| format!(" --rung {pass}={kernel}"));
    format!(" --{} {}{}", if alone { "kernel" } else { "program" }, variant.program, rungs.collect::<String>())
}

fn flush(prose: &mut Vec<Block>, blocks: &mut Vec<NoteBlock>) {
    if !prose.is_empty() {
        blocks.push(NoteBlock::Prose(std::mem::take(prose)));
    }
}

/// The place among `events` of what a step wants seen first: the first access on the source line that holds `watch`, or the first event of it
/// where it accesses nothing, such as a branch; else the costliest access, the first of equals; 0 where nothing is accessed. `at` is the share
/// of the record from which on it is looked for.
#[must_use]
pub fn first_to_see(timeline: &Timeline, events: &[usize], source: &str, watch: &str, at: f64) -> usize {
    let line =
        (1_u32..).zip(source.lines()).find(|(_, text)| !watch.is_empty() && text.contains(watch)).map(|(n, _)| n);
    let cost = |index: &usize| match timeline.events[*index].kind {
        EventKind::Access { cost, .. } => Some(cost),
        EventKind::Subgroup { .. } | EventKind::Barrier | EventKind::Branch { .. } => None,
    };
    #[expect(clippy::cast_precision_loss, reason = "a workgroup has far fewer than 2^53 events")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of them")]
    let from = (events.len() as f64 * at) as usize;
    // From the share of the record that the step asks for on, else from its beginning.
    let first = |wanted: &dyn Fn(&usize) -> bool| {
        let late = events.iter().skip(from).position(wanted).map(|i| i + from);
        late.or_else(|| events.iter().position(wanted))
    };
    let on_line = |i: &usize| Some(timeline.events[*i].line) == line;
    let watched = first(&|i| cost(i).is_some() && on_line(i)).or_else(|| first(&on_line));
    let most = events.iter().filter_map(cost).max();
    watched.or_else(|| first(&|i| most.is_some() && cost(i) == most)).unwrap_or(0)
}

/// A prediction as a table of one row.
fn prediction_table(step: &str, kernel: &str, found: &Modelled, measured_s: Option<f64>) -> NoteBlock {
    let none = || "–".to_owned();
    let whose = if found.device.this_machine { "the device that measured" } else { "a model, not this machine" };
    let held = found.occupancy.as_ref();
    let limited = |o: &Occupancy| format!("{}, by {}", o.share_words().unwrap_or_else(none), o.limited_by.name());
    let columns = [
        ("kernel", kernel.to_owned()),
        ("predicted", found.time_words().unwrap_or_else(none)),
        ("bound by", found.bound.map_or_else(none, |bound| bound.name().to_owned())),
        ("occupancy, limited", held.map_or_else(none, limited)),
        ("waves", found.waves.map_or_else(none, |w| digits3(w.waves))),
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
