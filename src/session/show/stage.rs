//! A launch on a stage: the results that its figure asks for, as far as a store knows them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::first::first_to_see;
use super::staged::{self, Sources};
use crate::base::diag::Diagnostic;
use crate::device::Launch;
use crate::figures::{self, Asks, Clock, Figure, Given, Metered, Reach, Reel, Ring, Spread, Subject};
use crate::job::{Job, Shown};
use crate::lesson::cuda::MOST_PLACES;
use crate::lesson::{Env, Expr, Kernel, Lesson, Picture, Program, RingDecl, Step, Variant};
use crate::session::ask::{Accesses, Answer, At, Built, Coursed, Question, Store, Traced};
use crate::session::jobs::setting::Setting;
use crate::session::jobs::{self, Params, cost};
use crate::session::pack::quote::Quotes;
use crate::session::run::{model, pipeline};

/// A launch of a program, and its picture.
#[derive(Clone, Copy)]
pub struct Stage<'a> {
    /// The program, as the tracer runs it.
    pub at: &'a At,
    /// The launch.
    pub shown: Shown,
    /// The workgroup, by its linear index.
    pub workgroup: u32,
    /// The figure with its arguments.
    pub picture: &'a Picture,
    /// The buffer that the learner chose.
    pub buffer: Option<&'a str>,
}

/// A figure with the results that it is drawn from.
pub struct Answered {
    /// The figure.
    pub figure: &'static dyn Figure,
    /// The results that it asks for.
    pub asks: Asks,
    /// The requested results that are available.
    pub given: Given,
}

impl<'a> Stage<'a> {
    /// The stage of a step as it opens; `at` is the step's program. None if the lesson has no such program or pass.
    #[must_use]
    pub fn of_step(at: &'a At, step: &'a Step) -> Option<Self> {
        let Setting { lesson, params, .. } = &**at.setting();
        let pass = lesson.program(&step.variant.program)?.place_of(&step.pass)?;
        Some(Self {
            at,
            shown: Shown { pass, launch: step.launch.saturating_sub(1) },
            workgroup: whole_number(&step.figure, "workgroup", lesson, params),
            picture: &step.figure,
            buffer: None,
        })
    }

    /// The settings.
    #[must_use]
    pub fn setting(&self) -> &'a Arc<Setting> {
        self.at.setting()
    }

    /// The program, with the kernels chosen for it.
    #[must_use]
    pub fn variant(&self) -> &'a Variant {
        self.at.variant()
    }

    /// The warp at which the figure opens.
    #[must_use]
    pub fn warp(&self) -> u32 {
        let Setting { lesson, params, .. } = &**self.setting();
        whole_number(self.picture, "warp", lesson, params)
    }

    /// The kernel that is launched; None for a copy or a fill.
    #[must_use]
    pub fn kernel(&self) -> Option<&'a Kernel> {
        *self.setting().lesson.launched(self.variant()).get(self.shown.pass)?
    }

    /// Whether the program is traced at its settings.
    #[must_use]
    pub fn is_traceable(&self) -> bool {
        cost::is_traced(&self.setting().lesson, self.variant(), &self.setting().params)
    }

    fn program(&self) -> Option<&'a Program> {
        self.setting().lesson.program(&self.variant().program)
    }

    /// The results that the figure asks for; None if there is no such figure.
    #[must_use]
    pub fn asks(&self, job: &Job) -> Option<Asks> {
        let (program, pass) = (self.program()?, self.shown.pass);
        let subject = Subject { picture: self.picture, buffer: self.buffer, program, job, pass };
        Some(figures::find(&self.picture.name)?.asks(&subject))
    }

    /// The figure with all results that the store has for it. None until the program is compiled, and if there is no such figure.
    #[must_use]
    pub fn answer(&self, store: &dyn Store, sources: &Sources<'_>) -> Option<Answered> {
        let figure = figures::find(&self.picture.name)?;
        let asks = self.asks(&built(store, self.at.clone())?.job)?;
        let given = self.given(&asks, store, sources);
        Some(Answered { figure, asks, given })
    }

    /// The ring that the kernel's tiles go through, with its places at the setting.
    fn ring(&self) -> Option<Ring> {
        let RingDecl { places, tiles, load, multiply } = self.kernel()?.ring.clone()?;
        let Setting { lesson, params, .. } = &**self.at.setting();
        let number = |expr: &Expr| {
            let number = Env::fixed(&lesson.params, &lesson.values, params).whole(expr, 1).ok()?;
            u32::try_from(number).ok()
        };
        // The lesson's own settings are checked; the learner's may give any number.
        let places = number(&places).filter(|places| u64::from(*places) <= MOST_PLACES)?;
        Some(Ring { places, tiles: tiles.as_ref().and_then(number), load, multiply })
    }

    /// The requested results that the store has.
    #[must_use]
    pub fn given(&self, asks: &Asks, store: &dyn Store, sources: &Sources<'_>) -> Given {
        let (numbers, beyond) = self.numbers();
        let mut given = Given { ring: self.ring(), numbers, beyond, ..Given::default() };
        if self.is_traceable() {
            self.add_traced(&mut given, asks, store, sources);
        }
        if asks.spread {
            given.spread = self.spread(store, sources);
        }
        if asks.curves {
            given.curves = staged::curves(self, self.picture.text(figures::EXPERIMENT), sources);
        }
        if asks.roofline
            && let Some(kernel) = self.kernel()
        {
            given.roofline = Some(staged::roofline(self, kernel, store, sources));
        }
        given
    }

    fn add_traced(&self, given: &mut Given, asks: &Asks, store: &dyn Store, sources: &Sources<'_>) {
        let at = self.at;
        if (asks.timeline || asks.transfers)
            && let Some(accesses) = accesses(store, at.clone(), self.shown, self.workgroup)
        {
            given.timeline = accesses.timeline.clone();
        }
        if asks.heat
            && let Some(Ok(Answer::Heat(heat))) = store.ask(Question::Heat(at.clone(), self.shown))
        {
            given.heat = Some(heat);
        }
        if let Some(variables) = &asks.course {
            let question = Question::Course(at.clone(), self.shown, variables.clone());
            given.course = coursed(store, question).map(|answer| answer.map(|answer| answer.course.clone()));
        }
        if let Some(others) = &asks.meters {
            given.meters = self.meters(others, store);
        }
        if !asks.film.is_empty() {
            given.reel = match store.ask(Question::Film(at.clone(), asks.film.clone())) {
                Some(Ok(Answer::Reel(reel))) => Some(Ok(reel)),
                Some(Err(problems)) => Some(Err(first(&problems))),
                _ => None,
            };
        }
        if asks.river
            && let Some(traced) = counts(store, at.clone())
        {
            let lesson = &self.setting().lesson;
            let counted = |quotes: &Quotes| quotes.counted(lesson, &self.variant().program, &self.setting().params);
            let pass = traced.pass(self.shown.pass);
            given.river =
                pass.and_then(|pass| staged::river(pass, sources.quotes.and_then(counted), self.reach(sources)));
        }
        if asks.waits
            && let Some(traced) = counts(store, at.clone())
        {
            let pass = traced.pass(self.shown.pass);
            given.waits = pass.zip(sources.modelled()).and_then(|(pass, chosen)| staged::waits(pass, &chosen));
        }
        if asks.rounds
            && let (Some(program), Some(traced)) = (self.program(), counts(store, at.clone()))
        {
            given.rounds = pipeline::series(program, &traced.record);
        }
    }

    /// The bytes that the buffers of the program move, and those of others; None until all of them are known.
    fn meters(&self, others: &[String], store: &dyn Store) -> Option<Result<Vec<Metered>, String>> {
        let others = others.iter().map(|other| At::traced(self.setting(), &Variant::plain(other)));
        let all = std::iter::once(self.at.clone()).chain(others);
        let of = |at: At| coursed(store, Question::Course(at, Shown::default(), Vec::new()));
        // Each is asked for before the first that is missing ends the search.
        let all: Vec<_> = all.map(of).collect();
        let metered = |answer: Option<Result<Arc<Coursed>, String>>| Some(answer?.map(|of| of.metered.clone()));
        all.into_iter().map(metered).collect::<Option<Vec<_>>>().map(|all| all.into_iter().collect())
    }

    /// The bytes that the modelled device's DRAM can have moved in the program's recorded time.
    fn reach(&self, sources: &Sources<'_>) -> Option<Reach> {
        let Setting { lesson, params, .. } = &**self.setting();
        staged::reach(&sources.modelled()?, sources.recordings, lesson, self.variant(), params)
    }

    /// How the grid spreads over the modelled device; a grid held in a buffer is known after a trace.
    fn spread(&self, store: &dyn Store, sources: &Sources<'_>) -> Option<Spread> {
        let traced = self.is_traceable().then(|| counts(store, self.at.clone())).flatten();
        let launch: Option<Launch> = traced.and_then(|traced| traced.launch(self.shown.pass).copied());
        let Setting { lesson, params, .. } = &**self.setting();
        let sketched = || model::launch(&jobs::sketch(lesson, self.variant(), params)?, self.shown.pass);
        let only = self.kernel().and_then(Kernel::cuda_only);
        staged::spread(&sources.modelled()?, &launch.or_else(sketched)?, only.is_some_and(|only| only.persistent))
    }

    /// The values of the figure's arguments that are expressions; and why one of them cannot be drawn at the setting, which has none then.
    fn numbers(&self) -> (BTreeMap<String, f64>, Option<String>) {
        let Setting { lesson, params, .. } = &**self.setting();
        figures::numbers(self.picture, &Env::fixed(&lesson.params, &lesson.values, params))
    }

    /// The same launch, or the pass's last one if it runs less often.
    #[must_use]
    pub fn within(mut self, launches: Option<u64>) -> Self {
        let most = launches.map_or(u64::MAX, |launches| launches.saturating_sub(1));
        self.shown.launch = self.shown.launch.min(most);
        self
    }
}

impl Answered {
    /// Whether the figure cannot be drawn: it needs a trace of a program that the tracer does not run, or whose trace failed.
    #[must_use]
    pub fn is_missing(&self, is_traceable: bool) -> bool {
        let failed = (self.asks.timeline && self.given.timeline.events.is_empty())
            || matches!(self.given.reel, Some(Err(_)))
            || matches!(self.given.course, Some(Err(_)))
            || matches!(self.given.meters, Some(Err(_)))
            || (self.asks.heat && self.given.heat.is_none());
        self.asks.is_traced() && (!is_traceable || failed)
    }

    /// The ticks of the figure's clock, and the one among them at which the step's stage opens.
    #[must_use]
    pub fn opening(&self, stage: &Stage<'_>, step: &Step) -> (usize, usize) {
        match (self.figure.card().clock, &self.given.reel) {
            (Clock::Events, _) => {
                let timeline = &self.given.timeline;
                let events: Vec<usize> = timeline.of_warp(stage.workgroup, stage.warp()).collect();
                let source = stage.kernel().map(|kernel| kernel.source().to_string()).unwrap_or_default();
                (events.len(), first_to_see(timeline, &events, &source, &step.watch, step.at))
            }
            (Clock::Launches, Some(Ok(reel))) => {
                let ticks = reel.film.frames.len();
                let first = reel.film.frame_of(stage.shown.pass, stage.shown.launch);
                let first = first.unwrap_or(ticks.saturating_sub(1));
                (ticks, first_shown(reel, first).unwrap_or(first))
            }
            (Clock::Waves, _) => {
                let spread = self.given.spread.as_ref();
                let ticks = spread.map_or(0, |spread| usize::try_from(spread.ticks()).unwrap_or(usize::MAX));
                (ticks, spread.map_or(0, |spread| spread.opening(figures::begins(stage.picture))))
            }
            (Clock::Rounds, _) => {
                let rounds = figures::count_rounds(&self.given.rounds);
                (rounds, rounds.saturating_sub(1))
            }
            (Clock::Workgroups, _) => {
                let workgroups = self.given.heat.as_ref().map_or(0, |heat| heat.footprints.len());
                (workgroups, workgroups.saturating_sub(1))
            }
            (Clock::Phases, _) => {
                let ticks = self.figure.ticks(&self.given, stage.picture).len();
                (ticks, figures::opening_phase(ticks, stage.picture))
            }
            _ => (0, 0),
        }
    }

    /// The number of ticks before the first one that shows something.
    #[must_use]
    pub fn empty_ticks(&self) -> usize {
        match (self.figure.card().clock, &self.given.reel) {
            (Clock::Launches, Some(Ok(reel))) => first_shown(reel, 0).unwrap_or(0),
            _ => 0,
        }
    }
}

/// The first frame from one on that has something to show: a buffer that only a later launch writes has nothing before.
fn first_shown(reel: &Reel, from: usize) -> Option<usize> {
    (from..reel.film.frames.len()).find(|frame| reel.has_something(frame + 1))
}

/// A figure's argument that is a whole number; 0 if it is not given.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "out of range it is the nearest that there is"
)]
pub fn whole_number(picture: &Picture, name: &str, lesson: &Lesson, params: &Params) -> u32 {
    let value = picture.expressions(&[name]).next().map(|(_, expr)| expr);
    let env = Env::fixed(&lesson.params, &lesson.values, params);
    value.and_then(|expr| env.eval(&expr).ok()).map_or(0, |value| value as u32)
}

/// The compiled program, if the store has it.
#[must_use]
pub fn built(store: &dyn Store, at: At) -> Option<Arc<Built>> {
    match store.ask(Question::Build(at)) {
        Some(Ok(Answer::Built(built))) => Some(built),
        _ => None,
    }
}

/// A program's counts, if the store has them.
#[must_use]
pub fn counts(store: &dyn Store, at: At) -> Option<Arc<Traced>> {
    match store.ask(Question::Counts(at)) {
        Some(Ok(Answer::Traced(traced))) => Some(traced),
        _ => None,
    }
}

fn accesses(store: &dyn Store, at: At, shown: Shown, workgroup: u32) -> Option<Arc<Accesses>> {
    match store.ask(Question::Accesses(at, shown, workgroup)) {
        Some(Ok(Answer::Accesses(accesses))) => Some(accesses),
        _ => None,
    }
}

/// The answer to a question about a course, or the problem in words; None if it is not known.
fn coursed(store: &dyn Store, question: Question) -> Option<Result<Arc<Coursed>, String>> {
    match store.ask(question)? {
        Ok(Answer::Course(course)) => Some(Ok(course)),
        Ok(_) => None,
        Err(problems) => Some(Err(first(&problems))),
    }
}

fn first(problems: &[Diagnostic]) -> String {
    problems.first().map_or_else(String::new, |problem| problem.message.clone())
}
