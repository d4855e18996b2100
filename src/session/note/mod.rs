//! A lesson as a note: its prose with the figures of this machine, the measurements, and the learner's own words.

mod asked;
pub mod command;
pub mod experiment;
pub mod export;
pub mod index;
mod kernels;
mod mine;
pub mod only;
mod plays;
mod program;
pub mod rerun;
pub mod site;
pub(in crate::session) mod source;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::jobs::{self, Params};
use crate::base::diag::Diagnostic;
use crate::base::units::{digits3, si};
use crate::device::{DeviceSpec, Occupancy};
use crate::figures::explore::{self, ExploreView};
use crate::figures::{self, Clock, Kept, svg, titled};
use crate::figures::{Traced, ask};
use crate::lesson::scope::{Env, Results};
use crate::lesson::{Block, Inline as Inlined, Kernel, Lesson, PackFiles, Step, Variant};
use crate::notes::page::Played;
use crate::notes::{NoteBlock, Report, Section};
use crate::session::ask::{Answers, At, Inline, Of, Store};
use crate::session::experiment::recording::{Recording, RecordingChoice};
use crate::session::experiment::sweep::Sweep;
use crate::session::jobs::setting::Setting;
use crate::session::learn::saved::LessonSaved;
use crate::session::pack::quote::Quotes;
use crate::session::run::model::{self, Predicted as Modelled};
use crate::session::run::table;
use crate::session::show::interpolate::Fill;
use crate::session::show::moving::{self, Moving};
use crate::session::show::page;
use crate::session::show::said;
use crate::session::show::source::Staged;
use crate::session::show::stage::{Drawing, Stage};
use crate::session::show::staged::Sources;
use crate::trace::record::{Backend, Ceilings, Device, Record};
use only::Only;

/// Size of the stage's figure, in points.
pub const STAGE: [f32; 2] = [720.0, 440.0];
/// Width of an explorer's figure, in points.
pub const EXPLORER: f32 = 560.0;

/// The input of a note, besides the lesson's own figures, which are traced afresh.
#[derive(Clone)]
pub struct Input {
    /// The lesson at the learner's settings; each step's own parameters take precedence.
    pub setting: Setting,
    /// The learner's saved work.
    pub kept: LessonSaved,
    /// The steps whose text the note has.
    pub only: Only,
    /// The device that measured.
    pub device: Device,
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
    /// Answers that are known: the note asks for the others.
    pub answers: Answers,
    /// The day, as YYYY-MM-DD.
    pub created: String,
    pub pictures: Pictures,
    /// The folder of pinned pictures; None if there is none.
    pub pins: Option<PathBuf>,
}

/// How a note's pictures are shown, and what its prose can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pictures {
    /// They move by themselves, and play in an HTML note.
    #[default]
    Playing,
    /// They are still.
    Still,
    /// Pages of a site play them; values and controls in the prose have marks.
    OnSite,
}

impl Input {
    /// Whether the note has a step's text.
    fn has(&self, step: &Step) -> bool {
        self.only.has(step, &self.kept)
    }

    /// The parameters of a step's page, with those that the learner moved there.
    fn params(&self, step: &Step) -> Params {
        jobs::on_page(&self.setting.lesson, step, self.kept.moved.get(&step.id))
    }

    /// The sources of pictures besides runs.
    fn sources(&self) -> Sources<'_> {
        Sources {
            device: &self.device,
            backend: Some(self.device.backend),
            ceilings: self.ceilings,
            models: &self.models,
            model: self.model.as_deref(),
            recordings: &self.recordings,
            recording: &self.recording,
            quotes: Some(&self.quotes),
            sweeps: Some(&self.sweeps),
        }
    }
}

/// Builds the note. Parts that could not be traced are left out, and reported in the second part of the result. `say`
/// gets the number of parts that are done, and of all.
pub fn build(input: &Input, cancel: &AtomicBool, say: &mut dyn FnMut(usize, usize)) -> (Report, Vec<Diagnostic>) {
    let mut builder = Builder {
        input,
        store: Inline::new(input.answers.clone(), cancel),
        own: Inline::new(input.answers.clone(), cancel),
        assumed: None,
        plotted: Vec::new(),
        printed: Vec::new(),
        predicted: Vec::new(),
        playing: BTreeMap::new(),
        problems: Vec::new(),
    };
    let steps: Vec<&Step> = input.setting.lesson.steps.iter().filter(|step| input.has(step)).collect();
    // The learner's own is one part.
    let all = 1 + steps.len();
    say(0, all);
    let mut sections = builder.mine();
    for (done, step) in steps.into_iter().enumerate() {
        say(1 + done, all);
        sections.push(builder.section(step));
    }
    sections.extend(builder.assumed.take());
    let report = Report {
        title: input.setting.lesson.title.clone(),
        lesson: input.setting.lesson.id.clone(),
        created: input.created.clone(),
        meta: meta(input),
        sections,
        playing: builder.playing(),
    };
    let problems = builder.store.problems().into_iter().chain(builder.problems).collect();
    (report, problems)
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
    input: &'a Input,
    store: Inline<'a>,
    /// The same for the learner's own kernels: what is wrong with them is said in the note and is no problem of its
    /// making.
    own: Inline<'a>,
    /// The assumptions of the predicted times, once there is one.
    assumed: Option<Section>,
    /// Experiments whose figure is already in the note.
    plotted: Vec<String>,
    /// Kernels whose source is already in the note.
    printed: Vec<String>,
    /// Passes whose predicted time is already in the note.
    predicted: Vec<(At, usize)>,
    /// The pictures that play, by their figures' names.
    playing: BTreeMap<String, Played>,
    /// Problems with what the note is made of.
    problems: Vec<Diagnostic>,
}

impl Builder<'_> {
    fn section(&mut self, step: &Step) -> Section {
        if self.input.pictures == Pictures::OnSite {
            // A note prints a source and a plot once; each page of a site has its own.
            self.printed.clear();
            self.plotted.clear();
        }
        let lesson = self.input.setting.lesson.clone();
        let params = self.input.params(step);
        let at = At::traced(&self.setting(&params), &step.variant);
        let stage = Stage::of_step(&at, step);
        let (mut results, shown) = self.results(step, &params);
        results.insert_ceilings(&self.input.ceilings);
        let env = Env::new(&lesson, &params, &results);
        let live = self.input.pictures == Pictures::OnSite;
        let fill = Fill { lesson: &lesson, env: &env, params: &params, quotes: &self.input.quotes, live };
        let plain = Fill { live: false, ..fill };
        let mut blocks = Vec::new();
        let mut prose = Vec::new();
        for block in &step.blocks {
            match block {
                Block::Predict(id) => {
                    flush(&mut prose, &mut blocks);
                    blocks.extend(asked::asked(&lesson, id, &plain));
                }
                Block::Exercise(id) => {
                    flush(&mut prose, &mut blocks);
                    blocks.extend(asked::exercise(&lesson, id, &plain));
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
        if let Some(traced) = &shown {
            blocks.extend(program::blocks(&lesson, step, traced, self.measured(&step.variant, &params).as_deref()));
        }
        if let Some(stage) = stage {
            let launches = shown.as_ref().and_then(|traced| traced.pass(stage.shown.pass)).map(|pass| pass.launches);
            blocks.extend(self.stage(step, &params, &stage.within(launches), shown.as_deref()));
        }
        blocks.extend(shown.map(|traced| self.predicted(step, &params, &traced)).unwrap_or_default());
        blocks.extend(self.experiment(step));
        Section { id: step.id.clone(), title: step.title.clone(), blocks }
    }

    /// The results of the programs that the step's prose mentions, and the counts of the one on its stage.
    fn results(&self, step: &Step, params: &Params) -> (Results, Option<Arc<Traced>>) {
        let measured = |variant: &Variant| self.measured(variant, params);
        said::results(step, &self.setting(params), &self.store, &self.input.sources(), &measured)
    }

    fn setting(&self, params: &Params) -> Arc<Setting> {
        Arc::new(Setting { params: params.clone(), ..self.input.setting.clone() })
    }

    /// The measurement of a program at exactly these parameters; None for others.
    fn measured(&self, variant: &Variant, params: &Params) -> Option<Arc<Record>> {
        let at = At::timed(&self.setting(params), variant, self.input.device.backend);
        self.store().find(&at, ask::Time).filter(|record| record.trusted())
    }

    fn store(&self) -> &dyn Store {
        &self.store
    }

    /// The device model's prediction for the pass on the stage, beside the measured time. The model's assumptions go to
    /// the note's end.
    fn predicted(&mut self, step: &Step, params: &Params, traced: &Traced) -> Vec<NoteBlock> {
        let input = self.input;
        let Some((place, kernel)) = on_stage(&input.setting.lesson, step) else { return Vec::new() };
        let of = (At::traced(&self.setting(params), &step.variant), place);
        let chosen = model::pick(&input.models, input.model.as_deref(), &input.device);
        let (Some(chosen), Some(launch), Some(pass)) = (chosen, traced.launch(place), traced.pass(place)) else {
            return Vec::new();
        };
        let known = model::Traced::of_pass(&traced.job, pass, place, launch);
        let Some(known) = known.filter(|_| !self.predicted.contains(&of)) else { return Vec::new() };
        let measured = self.measured(&step.variant, params);
        let measured_s = measured.and_then(|record| Some(record.pass(place)?.timing.as_ref()?.median_s));
        let found = model::predicted(&chosen, &known, &input.ceilings, measured_s);
        let table = prediction_table(&step.id, &kernel.title, &found, measured_s);
        self.assumed.get_or_insert_with(|| {
            let entry = |text: &str| vec![Block::Paragraph(vec![Inlined::Text(text.to_owned())])];
            let said = found.missing.iter().chain(&found.assumptions).map(|said| entry(&said.text));
            Section {
                id: "assumptions".to_owned(),
                title: "What the predicted times take for granted".to_owned(),
                blocks: vec![NoteBlock::Prose(vec![Block::List(None, said.collect())])],
            }
        });
        self.predicted.push(of);
        vec![table]
    }

    /// The stage's figure as the step opens it, the command that reproduces it, and the kernel's source if it is new.
    fn stage(&mut self, step: &Step, params: &Params, stage: &Stage<'_>, shown: Option<&Traced>) -> Vec<NoteBlock> {
        let Some(kernel) = stage.kernel() else { return Vec::new() };
        let mut blocks: Vec<NoteBlock> = self.source(step, kernel, params).into_iter().collect();
        if !blocks.is_empty() {
            let shown = Of::Workgroup(stage.at.clone(), stage.shown, stage.workgroup);
            // Where the pack has no PTX at these settings, the note goes without.
            let store: &dyn Store = &self.own;
            blocks.extend(store.find(shown, ask::Machine).and_then(|machine| kernels::compiled(&machine)));
        }
        let Some(figure) = figures::find(&step.figure.name) else { return blocks };
        let is_traced = stage.is_traceable();
        if !is_traced {
            let why = match kernel.runs_on(Backend::Simt) {
                true => "its work at these settings is a GPU's. At smaller ones it is traced.",
                false => "written in CUDA C++ only, and its lesson does not trace it, so there is no trace.",
            };
            let why = format!("{}: {why}", kernel.title);
            blocks.push(NoteBlock::Prose(vec![Block::Paragraph(vec![Inlined::Text(why)])]));
        }
        // An explorer's figure is in the note already; a site's page traces the kernel beside it.
        let picture = page::traced(stage.picture);
        let stage = &Stage { picture: &picture, ..*stage };
        if figure.card().clock != Clock::Hand || self.input.pictures == Pictures::OnSite {
            let drawn = self.figure(&self.store, (step, &step.id), stage, kernel);
            if let Some((figure, still)) = drawn {
                self.play(&figure, still, step, stage, None);
                blocks.push(figure);
            }
        }
        blocks.extend(shown.and_then(|traced| traced.trace(stage.shown.pass)).and_then(kernels::found));
        blocks.extend(self.numbers(step, params, shown));
        // On a site it would name the folder in which the pack was written.
        if self.input.pictures != Pictures::OnSite || self.input.setting.lesson.files == PackFiles::Embedded {
            blocks.push(self.command(step, params, if is_traced { Backend::Simt } else { Backend::Cuda }));
        }
        blocks
    }

    /// The step's figure as its stage opens, under a name, with its still as SVG; None if it failed, or needs a trace where
    /// there is none.
    fn figure(
        &self,
        store: &dyn Store,
        (step, name): (&Step, &str),
        stage: &Stage<'_>,
        kernel: &Kernel,
    ) -> Option<(NoteBlock, String)> {
        let sources = self.input.sources();
        let staged = Staged { stage: *stage, store, sources: &sources };
        let drawing = Drawing::of(&staged)?;
        let card = drawing.figure.card();
        let (_, first) = drawing.opening(step);
        #[expect(clippy::cast_precision_loss, reason = "a workgroup has far fewer than 2^24 events")]
        let view = drawing.view(STAGE, first as f32 + 0.99);
        // The program's series by round are in the note already.
        if card.clock == Clock::Rounds || drawing.figure.draw(&view, &mut Kept::default()).is_err() {
            return None;
        }
        let frame = titled::draw(drawing.figure, &view, &mut Kept::default());
        let reel = (card.clock == Clock::Launches).then(|| view.reel(drawing.figure).ok()).flatten();
        let caption = match reel {
            Some((reel, _)) if !view.words("title").is_empty() => {
                format!("{}, {}.", view.words("title"), reel.when(first + 1))
            }
            Some((reel, _)) => {
                let buffer = reel.buffers.first().map(|buffer| buffer.name.as_str()).unwrap_or_default();
                format!("{buffer} {}.", reel.when(first + 1))
            }
            None if drawing.results.is_traced() => format!("{}: {}, traced.", kernel.title, card.about),
            None => format!("{}: {}.", kernel.title, card.about),
        };
        let id = format!("{name}-stage");
        // A warp's events are too many for a picture that plays by itself.
        let plays = self.input.pictures != Pictures::OnSite
            && !matches!(card.clock, Clock::Still | Clock::Hand | Clock::Events);
        let still = svg::adaptive(&frame);
        let moving = plays.then(|| moving::picture(&drawing, step, STAGE)).flatten();
        let figure = match moving {
            Some(Moving { svg, alt }) => NoteBlock::Figure { id, caption, alt, svg },
            None => NoteBlock::Figure { id, caption, alt: frame.alt.clone(), svg: still.clone() },
        };
        Some((figure, still))
    }

    /// The numbers of the run that a step shows, which its command gives again: as it was traced, or else measured.
    fn numbers(&self, step: &Step, params: &Params, shown: Option<&Traced>) -> Option<NoteBlock> {
        let measured = if shown.is_none() { self.measured(&step.variant, params) } else { None };
        let (record, how) = match (shown, &measured) {
            (Some(traced), _) => (&*traced.record, "counted by the trace"),
            (None, Some(record)) => (&**record, "measured"),
            (None, None) => return None,
        };
        let title = self.input.setting.lesson.title_of(&step.variant);
        let (header, rows) = table::of_record(record);
        (!rows.is_empty()).then(|| NoteBlock::Data {
            id: format!("{}-counts", step.id),
            caption: format!("{title}, {how}."),
            header,
            rows,
        })
    }

    /// The command that runs again what a step shows.
    fn command(&self, step: &Step, params: &Params, backend: Backend) -> NoteBlock {
        let setting = Setting { params: params.clone(), ..self.input.setting.clone() };
        NoteBlock::Command(command::run(&setting, &step.variant, backend))
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
        Some(source::whole(kernel.file(), kernel.file(), &text))
    }

    fn experiment(&mut self, step: &Step) -> Vec<NoteBlock> {
        let lesson = self.input.setting.lesson.clone();
        let Some(id) = &step.experiment else { return Vec::new() };
        if self.plotted.contains(id) {
            return Vec::new();
        }
        let Some(experiment) = lesson.experiments.iter().find(|e| e.id == *id) else { return Vec::new() };
        self.plotted.push(id.clone());
        self.plot(&lesson, experiment)
    }

    /// An explorer's figure at the learner's own point, from which a page plays it.
    fn explored(&mut self, step: &Step, name: &str) -> Option<NoteBlock> {
        let (explorer, at) = (explore::find(name)?, self.input.kept.explored(Some(&step.figure)));
        let frame = explore::picture(&ExploreView { explorer, at: &at, spelled: (0, 0), width: EXPLORER }).frame;
        let (id, svg) = (format!("{}-{name}", step.id), svg::adaptive(&frame));
        self.play_explorer(&id, explorer, &at, &svg);
        let caption = if self.input.pictures == Pictures::OnSite { explorer.tab } else { "At my own settings." };
        Some(NoteBlock::Figure { id, caption: caption.to_owned(), alt: frame.alt, svg })
    }
}

/// The pass on a step's stage, by its place, and its kernel.
fn on_stage<'a>(lesson: &'a Lesson, step: &Step) -> Option<(usize, &'a Kernel)> {
    let place = lesson.program(&step.variant.program)?.place_of(&step.pass)?;
    Some((place, (*lesson.launched(&step.variant).get(place)?)?))
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
        ("bound by", found.bound_by().map_or_else(none, |bound| bound.name().to_owned())),
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
