//! A lesson as a note: its prose with the figures of this machine, the measurements, and the learner's own words.

mod asked;
mod experiment;
pub mod export;
pub mod fill;
mod program;
mod roofline;
mod untraced;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::jobs::{self, Params, Purpose};
use super::run::{Done, Runner};
use crate::base::diag::Diagnostic;
use crate::base::units::{digits3, si};
use crate::device::{DeviceSpec, Occupancy};
use crate::figures::explore::{self, ExploreView};
use crate::figures::{self, Clock, Kept, Spread, View, svg, titled};
use crate::job::{Shown, TraceSpec};
use crate::lesson::scope::{Env, Results};
use crate::lesson::{Block, Inline, Kernel, Lesson, PackFiles, Step, Variant};
use crate::notes::{NoteBlock, Report, Section};
use crate::reference;
use crate::session::experiment::recording::{Recording, RecordingChoice};
use crate::session::experiment::sweep::Sweep;
use crate::session::jobs::setting::Setting;
use crate::session::learn::saved::LessonSaved;
use crate::session::pack::quote::Quotes;
use crate::session::run::devices::Devices;
use crate::session::run::model::{self, Predicted as Modelled};
use crate::session::show::{inline, staged};
use crate::trace::record::{Backend, Ceilings, Device, Record, Timing};
use fill::{Fill, spoken_of};

/// Size of the stage's figure, in points.
const STAGE: [f32; 2] = [720.0, 440.0];
/// Width of an explorer's figure, in points.
const EXPLORER: f32 = 560.0;

/// The input of a note, besides the lesson's own figures, which are traced afresh.
#[derive(Clone)]
pub struct Input {
    /// The lesson at the learner's settings; each step's own parameters take precedence.
    pub setting: Setting,
    /// The learner's saved work.
    pub kept: LessonSaved,
    /// The device that measured.
    pub device: Device,
    /// Its ceilings.
    pub ceilings: Ceilings,
    /// The devices that can be modelled.
    pub models: Arc<[DeviceSpec]>,
    /// The one to model, by id; None for the measuring one.
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

/// Builds the note. Parts that could not be traced are left out, and reported in the second part of the result.
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
    /// Experiments whose figure is already in the note.
    plotted: Vec<String>,
    /// Kernels whose source is already in the note.
    printed: Vec<String>,
    /// Keys of passes whose predicted time is already in the note.
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

    /// Traces the programs that the step's prose mentions, and the one on its stage.
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
            let heat = is_shown && inline::asks(&lesson, step, params).is_some_and(|asks| asks.heat);
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

    /// The measurement of a program at exactly these parameters; None for others.
    fn measured(&self, variant: &Variant, params: &Params) -> Option<&Record> {
        let wanted = self.setting(params).key(variant);
        self.input.measured.get(&variant.program).filter(|(of, _)| *of == wanted).map(|(_, record)| &**record)
    }

    /// The time of a program's pass.
    fn timing(&self, variant: &Variant, place: usize, params: &Params) -> Option<&Timing> {
        self.measured(variant, params)?.pass(place)?.timing.as_ref()
    }

    /// The device model's prediction for the pass on the stage, beside the measured time; the first time, with the model's assumptions.
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
        // A part of the grid gives no complete result to check.
        let check = !spec.only_timeline_workgroups;
        let purpose = Purpose { seed, check, measure: None, trace: Some(spec), bounds_checks: true };
        let lesson: &Lesson = &self.input.setting.lesson;
        let backend = Backend::Simt;
        let runner = Runner { devices: self.devices, backend, lesson, purpose: &purpose, cancel: self.cancel };
        match runner.program(variant, params) {
            Ok(done) => {
                self.problems.extend(crate::session::run::verdict::failed_check(&done.job, &done.record));
                Some(done)
            }
            Err(mut problems) => {
                self.problems.append(&mut problems);
                None
            }
        }
    }

    /// The stage's figure as the step opens it, the command that reproduces it, and the kernel's source if it is new.
    fn stage(&mut self, step: &Step, params: &Params, grid: Option<&Done>) -> Vec<NoteBlock> {
        let lesson = self.input.setting.lesson.clone();
        let Some((place, kernel)) = on_stage(&lesson, step) else { return Vec::new() };
        let mut blocks: Vec<NoteBlock> = self.source(step, kernel, params).into_iter().collect();
        let Some(figure) = figures::find(&step.figure.name) else { return blocks };
        let is_traced = lesson.runs_on(&step.variant, Backend::Simt);
        if !is_traced {
            let why = format!(
                "{}: written in CUDA C++ only, which the tracer does not run, so there is no trace.",
                kernel.title
            );
            blocks.push(NoteBlock::Prose(vec![Block::Paragraph(vec![Inline::Text(why)])]));
        }
        // An explorer's figure is in the note already.
        if figure.card().clock != Clock::Hand {
            blocks.extend(self.figure(step, params, (place, kernel), grid, is_traced));
        }
        blocks.push(self.command(step, params, if is_traced { Backend::Simt } else { Backend::Cuda }));
        blocks
    }

    /// The step's figure as its stage opens.
    fn figure(
        &mut self,
        step: &Step,
        params: &Params,
        (place, kernel): (usize, &Kernel),
        grid: Option<&Done>,
        is_traced: bool,
    ) -> Option<NoteBlock> {
        let input = self.input;
        let Setting { lesson, seed, warp_width, .. } = &input.setting;
        let pass = grid.and_then(|done| done.record.pass(place));
        let launches = pass.map(|pass| pass.launches);
        let mut found = if is_traced {
            let host = inline::Inline { lesson, seed: *seed, warp_width: *warp_width, cancel: self.cancel };
            host.answer(step, params, launches, &mut self.problems)?
        } else {
            untraced::answer(lesson, step, params, kernel)?
        };
        // The program's series by round are in the note already.
        if found.asks.rounds {
            return None;
        }
        let given = &mut found.given;
        if found.asks.heat {
            given.heat = pass.and_then(|pass| pass.heat.clone()).map(Arc::new);
        }
        if found.asks.spread {
            let traced = grid.and_then(|done| self.spread(done, place));
            given.spread = traced.or_else(|| untraced::spread(input, step, params, place));
            found.first = given.spread.as_ref().map_or(0, |spread| spread.opening(figures::begins(&step.figure)));
        }
        if found.asks.river {
            let counted = input.quotes.counted(lesson, &step.variant.program, params);
            let chosen = model::pick(&input.models, input.model.as_deref(), &input.device);
            let reach = chosen.and_then(|c| staged::reach(&c, &input.recordings, lesson, &step.variant, params));
            given.river = pass.and_then(|pass| staged::river(pass, counted, reach));
        }
        if found.asks.roofline {
            given.roofline = Some(self.roofline(kernel, params, grid));
        }
        #[expect(clippy::cast_precision_loss, reason = "a workgroup has far fewer than 2^24 events")]
        let position = found.first as f32 + 0.99;
        let view = View { position, ..View::still(&found.given, &step.figure, STAGE) };
        let frame = titled::draw(found.figure, &view, &mut Kept::default());
        let card = found.figure.card();
        let caption = match &found.given.reel {
            Some(Ok(reel)) if !step.figure.text("title").is_empty() => {
                format!("{}, {}.", step.figure.text("title"), reel.when(found.first + 1))
            }
            Some(Ok(reel)) => {
                let buffer = reel.buffers.first().map(|buffer| buffer.name.as_str()).unwrap_or_default();
                format!("{buffer} {}.", reel.when(found.first + 1))
            }
            _ if found.asks.is_traced() => format!("{}: {}, traced.", kernel.title, card.about),
            _ => format!("{}: {}.", kernel.title, card.about),
        };
        Some(NoteBlock::Figure {
            id: format!("{}-stage", step.id),
            caption,
            alt: frame.alt.clone(),
            svg: svg::adaptive(&frame),
        })
    }

    /// The command that runs again what a step shows.
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

    /// A kernel's text as it runs at some parameters; None if the note has printed it already.
    fn source(&mut self, step: &Step, kernel: &Kernel, params: &Params) -> Option<NoteBlock> {
        // If the learner is to write the kernel, the note has the exercise's starter instead.
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

    /// An explorer's figure at the learner's own point.
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

/// The option that names a lesson's pack; empty for the built-in one.
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

/// The option for warps of this width; empty for the default width.
fn warps(width: u32) -> String {
    if width == TraceSpec::default().warp_width { String::new() } else { format!(" --warp {width}") }
}

fn settings(params: &Params) -> String {
    params.iter().map(|(id, value)| format!(" --set {id}={value}")).collect()
}
