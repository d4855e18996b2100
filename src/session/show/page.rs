//! A step's stage as a page plays it: traced where it is shown, asked in JSON. A note carries the lesson's files and the program as a
//! WebAssembly module (`crates/page`), and the answers are those that the program gives itself.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::controls::{Control, controls};
use super::explored::{self, Turn};
use super::interpolate::Fill;
use super::judged;
use super::said;
use super::source::{Staged, prepare};
use super::stage::{Drawing, Stage};
use super::taken::Taken;
use crate::base::diag::Diagnostic;
use crate::base::units::number;
use crate::figures::ask;
use crate::figures::{self, Clock, Figure, Kept, Results, Traced, View, svg, titled};
use crate::gpu::simt;
use crate::job::Language;
use crate::lesson::{Picture, Step, USUAL, scope};
use crate::reference::Explored;
use crate::session::ask::{Answers, At, Inline, Store};
use crate::session::jobs::setting::Setting;
use crate::session::jobs::{self, cost};
use crate::session::learn::edits::{self, Edit};
use crate::session::learn::predict::{Answer, Guess};
use crate::session::pack::quote::Quotes;
use crate::session::run::compare::{self, Side};

/// The size of the first picture, in points, which is drawn to see whether there is one.
const FIRST: [f32; 2] = [640.0, 360.0];

/// A question of a page.
#[derive(Debug, Serialize, Deserialize)]
pub enum Asked {
    /// The files of a pack with one lesson, by their paths; they come first.
    Pack {
        /// The lesson's id.
        lesson: String,
        /// Lanes in a traced warp.
        warp_width: u32,
        /// Seed of the random inputs.
        seed: u64,
        /// Text files.
        files: BTreeMap<String, String>,
    },
    /// To open a step.
    Open {
        /// Its id.
        step: String,
        /// Values of parameters in place of the lesson's.
        set: Vec<(String, f64)>,
    },
    /// To set parameters.
    Set {
        /// Their values, by their ids.
        set: Vec<(String, f64)>,
    },
    /// To trace another text of the kernel on the stage; None for the lesson's.
    Edit {
        /// The text.
        source: Option<String>,
    },
    /// To show another figure of the stage.
    Figure {
        /// Its name.
        name: String,
    },
    /// To grade an answer to a question.
    Answer {
        /// The question's id.
        question: String,
        /// The answer.
        guess: Guess,
        /// The recorded answer, if it is about times; the tracer answers others.
        recorded: Option<Answer>,
    },
    /// To judge a kernel written for an exercise.
    Try {
        /// The exercise's id.
        exercise: String,
        /// The kernel.
        source: String,
    },
    /// An explorer, after the reader's change.
    Explore {
        /// Its name.
        name: String,
        /// Its point.
        at: Explored,
        /// The change; None for the first picture.
        turn: Option<Turn>,
        /// Row and column of the entry that is spelled out.
        spelled: (usize, usize),
        /// In points.
        width: f32,
    },
    /// A frame.
    Frame {
        /// Ticks of the clock before the present one, plus the present one's progress.
        position: f32,
        /// In points.
        size: [f32; 2],
        /// The pointer in the picture.
        pointer: Option<[f32; 2]>,
    },
}

/// A step that was opened or changed.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// Why there is no picture; empty if there is one.
    pub problems: Vec<String>,
    /// The tracer's findings, each with its line, and a failed check.
    pub findings: Vec<String>,
    /// Ticks of the figure's clock.
    pub ticks: usize,
    /// The tick at which the step opens.
    pub first: usize,
    /// The parameters that the program depends on.
    pub params: Vec<Control>,
    /// The kernel's text, if it is in WGSL.
    pub kernel: Option<String>,
    /// Counts over the whole grid: a name, the count of the lesson's kernel, the count now.
    pub counts: Vec<[String; 3]>,
    /// The values and controls in the step's prose, in reading order.
    pub live: Vec<String>,
    /// The figures that the stage can show: their names and tabs.
    pub figures: Vec<[String; 2]>,
    /// The one that it shows, by its name.
    pub figure: String,
}

/// A frame of the picture.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Framed {
    /// The picture.
    pub svg: String,
    /// A description of what the pointer is on.
    pub tip: Option<String>,
}

/// The state of a page between its questions.
#[derive(Default)]
pub struct Page {
    opened: Option<Open>,
    taken: Option<Taken>,
    answers: Answers,
}

struct Open {
    step: Step,
    plain: Step,
    setting: Arc<Setting>,
    at: At,
    figure: &'static dyn Figure,
    results: Results<'static>,
    kept: Kept,
    edit: Option<String>,
}

impl Page {
    /// Answers a question in JSON: an [`Opened`], a [`Framed`], an [`explored::Shown`] or a [`judged::Outcome`].
    #[must_use]
    pub fn answer(&mut self, question: &str) -> String {
        let asked = match serde_json::from_str::<Asked>(question) {
            Ok(asked) => asked,
            Err(error) => return said(&failed(format!("the page asked for something unknown: {error}"))),
        };
        match asked {
            Asked::Pack { lesson, warp_width, seed, files } => match Taken::of(&lesson, warp_width, seed, files) {
                Ok(taken) => {
                    self.taken = Some(taken);
                    said(&Opened::default())
                }
                Err(problems) => said(&failed_by(&problems)),
            },
            Asked::Open { step, set } => said(&self.open(&step, &set)),
            Asked::Set { set } => said(&self.again(|params, _| params.extend(set))),
            Asked::Edit { source } => said(&self.again(|_, edit| *edit = source)),
            Asked::Figure { name } => said(&self.show(&name)),
            Asked::Answer { question, guess, recorded } => match &self.taken {
                Some(Taken { lesson, seed, .. }) => said(&judged::answer(lesson, *seed, &question, &guess, recorded)),
                None => said(&failed("there is no lesson".to_owned())),
            },
            Asked::Try { exercise, source } => match &self.taken {
                Some(Taken { lesson, seed, .. }) => said(&judged::kernel(lesson, *seed, exercise, source)),
                None => said(&failed("there is no lesson".to_owned())),
            },
            Asked::Explore { name, at, turn, spelled, width } => explored::shown(&name, &at, turn, spelled, width)
                .map_or_else(|why| said(&failed(why)), |shown| said(&shown)),
            Asked::Frame { position, size, pointer } => match &mut self.opened {
                Some(open) => said(&open.frame(position, size, pointer)),
                None => said(&failed("no step is open".to_owned())),
            },
        }
    }

    fn open(&mut self, id: &str, set: &[(String, f64)]) -> Opened {
        let Some(Taken { lesson, warp_width, seed, .. }) = &self.taken else {
            return failed("there is no lesson".to_owned());
        };
        let Some(step) = lesson.steps.iter().find(|step| step.id == id) else {
            return failed(format!("the lesson has no step `{id}`"));
        };
        let setting = Setting {
            lesson: lesson.clone(),
            plain: lesson.clone(),
            params: jobs::with(&jobs::begins(lesson, step), set),
            seed: *seed,
            bounds_checks: true,
            warp_width: *warp_width,
            language: Language::Wgsl,
        };
        let step = Step { figure: traced(&step.figure), ..step.clone() };
        self.trace(step, setting, None)
    }

    /// Opens the step with another figure on its stage.
    fn show(&mut self, name: &str) -> Opened {
        let Some(open) = &self.opened else { return failed("no step is open".to_owned()) };
        let (mut step, setting, edit) = (open.plain.clone(), (*open.setting).clone(), open.edit.clone());
        let own = own(&setting, &step);
        step.figure = if name == own.name { own } else { Picture::named(name) };
        self.trace(step, setting, edit)
    }

    /// The open step with other parameters or another text.
    fn again(&mut self, change: impl FnOnce(&mut jobs::Params, &mut Option<String>)) -> Opened {
        let Some(open) = &self.opened else { return failed("no step is open".to_owned()) };
        let (mut setting, mut edit) = ((*open.setting).clone(), open.edit.clone());
        change(&mut setting.params, &mut edit);
        let step = open.plain.clone();
        self.trace(step, setting, edit)
    }

    /// Traces a step, and opens it if that works.
    fn trace(&mut self, plain: Step, mut setting: Setting, edit: Option<String>) -> Opened {
        let mut step = plain.clone();
        if let Some(source) = &edit {
            let edit = Edit {
                id: Edit::fresh_id(&plain.variant, &[]),
                name: "your version".to_owned(),
                of: plain.variant.clone(),
                pass: plain.pass.clone(),
                language: Language::Wgsl,
                source: source.clone(),
            };
            setting.lesson = edits::with(&setting.plain, std::slice::from_ref(&edit)).into();
            step.variant = edit.variant();
        } else {
            setting.lesson = setting.plain.clone();
        }
        let setting = Arc::new(setting);
        if !cost::is_traced(&setting.lesson, &step.variant, &setting.params) {
            return failed("this launch is too large to trace in a page".to_owned());
        }
        let cancel = AtomicBool::new(false);
        let store = Inline::new(std::mem::take(&mut self.answers), &cancel);
        let (at, device) = (At::traced(&setting, &step.variant), simt::device());
        let Some(stage) = Stage::of_step(&at, &step) else { return failed_by(&[]) };
        let Some(taken) = &self.taken else { return failed("there is no lesson".to_owned()) };
        let sources = taken.sources(&device);
        let (results, _) = said::results(&step, &setting, &store, &sources, &|_| None);
        prepare(stage, &store, &sources);
        let live = live(&setting, &step, &results);
        let counts_of = |at: &At| (&store as &dyn Store).find(at, ask::Counts);
        let now = counts_of(&at);
        let before = match edit {
            Some(_) => counts_of(&At::traced(&setting, &plain.variant)),
            None => now.clone(),
        };
        let built = (&store as &dyn Store).find(&at, ask::Build);
        let stage = stage.within(launches(&now, stage.shown.pass));
        let staged = Staged { stage, store: &store, sources: &sources };
        let drawn = Drawing::of(&staged).map(|drawing| {
            let opening = drawing.opening(&step);
            let view = drawing.view(FIRST, 0.0);
            let is_drawn = drawing.figure.draw(&view, &mut Kept::default()).is_ok();
            // Titles ask for numbers of their own.
            drop(titled::draw(drawing.figure, &view, &mut Kept::default()));
            (is_drawn, opening, drawing.figure, drawing.results.kept())
        });
        let (answers, problems) = store.into_parts();
        self.answers = answers;
        // A wrong result is drawn; that it is wrong is said.
        let Some((true, (ticks, first), figure, results)) = drawn.filter(|_| now.is_some()) else {
            return failed_by(&problems);
        };
        let pass = stage.shown.pass;
        let own = own(&setting, &plain);
        let facts = built.and_then(|built| built.facts.get(pass).copied()).unwrap_or_default();
        let fitting = figures::fitting(facts, Some(&own)).filter(|figure| figure.card().clock != Clock::Hand);
        let is_wgsl = stage.kernel().is_some_and(|kernel| kernel.cuda_only().is_none());
        let source = jobs::source(&setting.lesson, &step.variant, &step.pass, &setting.params);
        let opened = Opened {
            problems: Vec::new(),
            findings: now.as_deref().map(|now| findings(now, pass)).unwrap_or_default(),
            ticks,
            first,
            params: controls(&setting, &step),
            kernel: source.filter(|_| is_wgsl).map(|text| text.to_string()),
            counts: counts(before.as_deref(), now.as_deref(), pass),
            live,
            figures: fitting.map(|figure| [figure.card().name, figure.card().tab].map(ToOwned::to_owned)).collect(),
            figure: figure.card().name.to_owned(),
        };
        let kept = Kept::default();
        self.opened = Some(Open { step, plain, setting, at: at.clone(), figure, results, kept, edit });
        opened
    }
}

impl Open {
    fn frame(&mut self, position: f32, size: [f32; 2], pointer: Option<[f32; 2]>) -> Framed {
        let Some(stage) = Stage::of_step(&self.at, &self.step) else {
            return Framed { svg: String::new(), tip: None };
        };
        let mut view = View { motion: true, ..stage.view(&self.results, size, position) };
        let mut frame = titled::draw(self.figure, &view, &mut self.kept);
        view.hovered = pointer.and_then(|at| frame.tag_at(at));
        let mut tip = None;
        if let Some(tag) = view.hovered {
            frame = titled::draw(self.figure, &view, &mut self.kept);
            let timeline = view.timeline();
            let events = timeline.iter().flat_map(|timeline| timeline.of_warp(view.workgroup, view.warp));
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place among the events")]
            let event = events.into_iter().nth(position.max(0.0) as usize);
            tip = titled::tip(self.figure, &view, &self.kept, event, tag);
        }
        Framed { svg: svg::adaptive(&frame), tip }
    }
}

/// The figure that the lesson gives a step, whatever the stage shows.
fn own(setting: &Setting, step: &Step) -> Picture {
    let of_lesson = setting.plain.steps.iter().find(|of| of.id == step.id);
    traced(&of_lesson.unwrap_or(step).figure)
}

/// A step's picture on a page's traced stage: in place of an explorer, which has no trace, the usual one.
#[must_use]
pub fn traced(picture: &Picture) -> Picture {
    match figures::find(&picture.name).is_some_and(|figure| figure.card().clock == Clock::Hand) {
        true => Picture::named(USUAL),
        false => picture.clone(),
    }
}

/// The values and controls in a step's prose.
fn live(setting: &Setting, step: &Step, results: &scope::Results) -> Vec<String> {
    let env = scope::Env::new(&setting.lesson, &setting.params, results);
    let (lesson, params, quotes) = (&*setting.lesson, &setting.params, &Quotes::default());
    Fill { env: &env, params, lesson, quotes, live: false }.texts(&step.blocks)
}

fn said(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).unwrap_or_default()
}

fn failed(why: String) -> Opened {
    Opened { problems: vec![why], ..Opened::default() }
}

fn failed_by(problems: &[Diagnostic]) -> Opened {
    let errors: Vec<String> = problems.iter().map(ToString::to_string).collect();
    if errors.is_empty() {
        failed("this step has no trace".to_owned())
    } else {
        Opened { problems: errors, ..Opened::default() }
    }
}

fn launches(traced: &Option<Arc<Traced>>, pass: usize) -> Option<u64> {
    Some(traced.as_ref()?.pass(pass)?.launches)
}

/// The findings in the launch on the stage, and a failed check.
fn findings(traced: &Traced, pass: usize) -> Vec<String> {
    let found = traced.trace(pass).map(|trace| trace.findings.as_slice()).unwrap_or_default();
    let found = found.iter().map(|finding| format!("Line {}: {}", finding.line, finding.message));
    found.chain(traced.wrong.as_ref().map(|wrong| wrong.message.clone())).collect()
}

/// The counts of a pass over the whole grid, as the window's *Changes* has them.
fn counts(before: Option<&Traced>, now: Option<&Traced>, pass: usize) -> Vec<[String; 3]> {
    let side = |traced: Option<&Traced>| traced.and_then(|traced| traced.trace(pass)).cloned();
    let [before, now] = [side(before), side(now)];
    let [before, now] =
        [&before, &now].map(|trace| Side { source: "", trace: trace.as_ref(), machine_code: None, time_s: None });
    let words = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number);
    let figures = compare::figures(&before, &now);
    figures.into_iter().map(|figure| [figure.name.to_owned(), words(figure.before), words(figure.after)]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::judged::Outcome;
    use super::*;
    use crate::lesson::PackFiles;
    use crate::session;
    use crate::session::pack::carried::carried;

    fn page(lesson: &str) -> Page {
        let files = carried(&PackFiles::Embedded, lesson);
        let mut page = Page::default();
        let asked = Asked::Pack { lesson: lesson.to_owned(), warp_width: 32, seed: 1, files };
        let opened: Opened = ask(&mut page, &asked);
        assert_eq!(opened, Opened::default());
        page
    }

    fn ask<T: for<'a> Deserialize<'a>>(page: &mut Page, asked: &Asked) -> T {
        let answer = page.answer(&serde_json::to_string(asked).unwrap_or_default());
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }

    #[test]
    fn every_lesson_can_be_carried() {
        let (pack, _) = session::load(&PackFiles::Embedded);
        for lesson in &pack.lessons {
            page(&lesson.id);
        }
    }

    #[test]
    fn titles_have_their_numbers() {
        let mut page = page("coalescing");
        let asked = Asked::Open { step: "stride".to_owned(), set: vec![("stride".to_owned(), 8.0)] };
        let _: Opened = ask(&mut page, &asked);
        let framed: Framed = ask(&mut page, &Asked::Frame { position: 0.99, size: [720.0, 440.0], pointer: None });
        assert!(framed.svg.contains("At stride 8 lanes use 12.5%"), "{}", framed.svg);
    }

    #[test]
    fn an_edited_kernel_is_traced_beside_the_lessons() {
        let mut page = page("coalescing");
        let (pack, _) = session::load(&PackFiles::Embedded);
        let step = &pack.lessons.iter().find(|lesson| lesson.id == "coalescing").expect("the lesson").steps[1];
        let opened: Opened = ask(&mut page, &Asked::Open { step: step.id.clone(), set: Vec::new() });
        assert_eq!(opened.problems, Vec::<String>::new());
        assert!(opened.ticks > 0 && opened.counts.iter().all(|[_, before, now]| before == now), "{opened:?}");
        let source = opened.kernel.clone().unwrap_or_default();
        let broken: Opened = ask(&mut page, &Asked::Edit { source: Some(source.replace("fn ", "fm ")) });
        assert!(!broken.problems.is_empty() && broken.counts.is_empty());
        let framed: Framed =
            ask(&mut page, &Asked::Frame { position: 0.99, size: [720.0, 440.0], pointer: Some([360.0, 220.0]) });
        assert!(framed.svg.starts_with("<svg"), "the picture of before stays");
        let twice = source.replacen("dst[", "dst[0u * ", 1);
        assert_ne!(twice, source);
        let changed: Opened = ask(&mut page, &Asked::Edit { source: Some(twice) });
        assert_eq!(changed.problems, Vec::<String>::new());
        assert!(changed.counts.iter().any(|[_, before, now]| before != now), "{changed:?}");
        let back: Opened = ask(&mut page, &Asked::Edit { source: None });
        assert_eq!(back, opened);
        let [other, again]: [Opened; 2] =
            ["Contents", &*opened.figure].map(|name| ask(&mut page, &Asked::Figure { name: name.to_owned() }));
        assert_eq!((other.figure.as_str(), &other.figures), ("Contents", &opened.figures));
        assert_eq!(again, opened);
        let next = &pack.lessons.iter().find(|lesson| lesson.id == "coalescing").expect("the lesson").steps[2];
        let asked = Asked::Open { step: next.id.clone(), set: Vec::new() };
        let [after, alone]: [Opened; 2] = [ask(&mut page, &asked), ask(&mut self::page("coalescing"), &asked)];
        assert_eq!(after, alone, "what was open before changes nothing");
    }

    #[test]
    fn questions_and_exercises_are_judged() {
        let mut page = page("coalescing");
        let (pack, _) = session::load(&PackFiles::Embedded);
        let lesson = pack.lessons.iter().find(|lesson| lesson.id == "coalescing").expect("the lesson");
        let chosen =
            |choice| Asked::Answer { question: "every_16th".to_owned(), guess: Guess::Choice(choice), recorded: None };
        let [low, right]: [Outcome; 2] = [0, 1].map(|choice| ask(&mut page, &chosen(choice)));
        assert_eq!((low.right, right.right), (Some(false), Some(true)), "{low:?} {right:?}");
        assert!(right.said[1].contains("50.0%, from the trace"), "{right:?}");
        let exercise = lesson.exercises.first().expect("an exercise");
        let tried = |source: &str| Asked::Try { exercise: exercise.id.clone(), source: source.to_owned() };
        let solved: Outcome = ask(&mut page, &tried(&exercise.solution));
        assert_eq!(solved.right, Some(true), "{solved:?}");
        let wrong = exercise.wrong.iter().find(|wrong| wrong.says.is_some()).expect("a wrong kernel");
        let caught: Outcome = ask(&mut page, &tried(&wrong.source));
        assert!(caught.right == Some(false) && caught.said.last() == wrong.says.as_ref(), "{caught:?}");
        let missing: Outcome = ask(&mut page, &Asked::Try { exercise: "none".to_owned(), source: String::new() });
        assert!(missing.right.is_none() && !missing.said.is_empty());
    }

    #[test]
    fn nonsense_is_answered() {
        let mut page = Page::default();
        for question in
            ["", "{}", "{\"Frame\":{\"position\":0,\"size\":[1,1],\"pointer\":null}}", "{\"Edit\":{\"source\":null}}"]
        {
            assert!(page.answer(question).contains("problems"), "{question}");
        }
    }
}
