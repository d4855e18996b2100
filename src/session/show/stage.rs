//! A launch on a stage, its figure's view of it, and where the figure's clock opens.

use std::sync::Arc;

use super::first::{events_to_play, first_to_see};
use super::source::Staged;
use crate::figures::{self, Clock, Figure, Numbers, Reel, Results, View, ask};
use crate::job::Shown;
use crate::lesson::{Env, Kernel, Lesson, Picture, Program, Step, Variant};
use crate::session::ask::{At, Of};
use crate::session::jobs::setting::Setting;
use crate::session::jobs::{Params, cost};
use crate::trace::Event;

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

    /// The workgroup, as a question's subject.
    #[must_use]
    pub fn of(&self) -> Of {
        Of::Workgroup(self.at.clone(), self.shown, self.workgroup)
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

    /// The program as its lesson declares it.
    #[must_use]
    pub fn program(&self) -> Option<&'a Program> {
        self.setting().lesson.program(&self.variant().program)
    }

    /// The figure's view of these results at a moment.
    #[must_use]
    pub fn view<'b>(&self, results: &'b Results<'b>, size: [f32; 2], position: f32) -> View<'b>
    where
        'a: 'b,
    {
        View {
            program: self.program(),
            pass: self.shown.pass,
            buffer: self.buffer,
            workgroup: self.workgroup,
            warp: self.warp(),
            position,
            ..View::still(results, self.picture, size)
        }
    }

    /// The values of the figure's arguments that are expressions.
    #[must_use]
    pub fn numbers(&self) -> Numbers {
        let Setting { lesson, params, .. } = &**self.setting();
        let (values, beyond) = figures::numbers(self.picture, &Env::fixed(&lesson.params, &lesson.values, params));
        Numbers { values, beyond }
    }

    /// The same launch, or the pass's last one if it runs less often.
    #[must_use]
    pub fn within(mut self, launches: Option<u64>) -> Self {
        let most = launches.map_or(u64::MAX, |launches| launches.saturating_sub(1));
        self.shown.launch = self.shown.launch.min(most);
        self
    }
}

/// A figure with the results that it is drawn from.
pub struct Drawing<'a> {
    /// The figure.
    pub figure: &'static dyn Figure,
    /// The launch.
    pub stage: Stage<'a>,
    /// The results of the launch.
    pub results: Results<'a>,
}

impl<'a> Drawing<'a> {
    /// The figure of a stage. None if there is no such figure.
    #[must_use]
    pub fn of(staged: &'a Staged<'a>) -> Option<Self> {
        let stage = staged.stage;
        let figure = figures::find(&stage.picture.name)?;
        Some(Self { figure, results: Results::new(staged, stage.numbers()), stage })
    }

    /// The view of the figure at a moment.
    #[must_use]
    pub fn view(&self, size: [f32; 2], position: f32) -> View<'_> {
        self.stage.view(&self.results, size, position)
    }

    /// The ticks of the figure's clock, and the one among them at which the step's stage opens.
    #[must_use]
    pub fn opening(&self, step: &Step) -> (usize, usize) {
        let (figure, stage, view) = (self.figure, &self.stage, self.view([0.0; 2], 0.0));
        match figure.card().clock {
            Clock::Events => {
                let Ok(timeline) = view.timeline() else { return (0, 0) };
                let events: Vec<usize> = timeline.of_warp(stage.workgroup, stage.warp()).collect();
                let source = stage.kernel().map(|kernel| kernel.source().to_string()).unwrap_or_default();
                (events.len(), first_to_see(timeline, &events, &source, &step.watch, step.at))
            }
            Clock::Launches => {
                let Ok((reel, _)) = view.reel(figure) else { return (0, 0) };
                let ticks = reel.film.frames.len();
                let first = reel.film.frame_of(stage.shown.pass, stage.shown.launch);
                let first = first.unwrap_or(ticks.saturating_sub(1));
                (ticks, first_shown(reel, first).unwrap_or(first))
            }
            Clock::Waves => {
                let Ok(spread) = view.ask(ask::Spread) else { return (0, 0) };
                (usize::try_from(spread.ticks()).unwrap_or(usize::MAX), spread.opening(figures::begins(stage.picture)))
            }
            Clock::Rounds => {
                let rounds = view.ask(ask::Rounds).map_or(0, |rounds| figures::count_rounds(rounds));
                (rounds, rounds.saturating_sub(1))
            }
            Clock::Workgroups => {
                let workgroups = view.ask(ask::Heat).map_or(0, |heat| heat.footprints.len());
                (workgroups, workgroups.saturating_sub(1))
            }
            Clock::Phases => {
                let ticks = figure.ticks(&view).len();
                (ticks, figures::opening_phase(ticks, stage.picture))
            }
            Clock::Still | Clock::Hand => (0, 0),
        }
    }

    /// The ticks of a film of a step whose clock has `ticks` ticks and opens at `first`, in order: those at which the figure changes.
    ///
    /// A clock of launches plays up to the tick at which the step opens, or its round if the step says so. A figure of one event plays
    /// those of the line that the step watches; of a branch, what follows it, and each line once.
    #[must_use]
    pub fn film_ticks(&self, step: &Step, ticks: usize, first: usize) -> Vec<usize> {
        let view = self.view([0.0; 2], 0.0);
        let changing: Vec<usize> = match self.figure.card().clock {
            Clock::Launches => view.reel(self.figure).map_or(Vec::new(), |(reel, _)| {
                let played = if step.round { reel.turn(first) } else { 0..first + 1 };
                let frames = reel.film.frames.iter().enumerate().take(played.end).skip(played.start);
                frames.filter(|(_, frame)| !frame.changed.is_empty()).map(|(tick, _)| tick).collect()
            }),
            Clock::Events if self.figure.is_of_one_event() => view.timeline().map_or(Vec::new(), |timeline| {
                let events: Vec<&Event> =
                    timeline.of_warp(self.stage.workgroup, self.stage.warp()).map(|i| &timeline.events[i]).collect();
                events_to_play(&events, first)
            }),
            _ => Vec::new(),
        };
        if changing.is_empty() { (0..ticks).collect() } else { changing }
    }

    /// The number of ticks before the first one that shows something.
    #[must_use]
    pub fn empty_ticks(&self) -> usize {
        match (self.figure.card().clock, self.view([0.0; 2], 0.0).reel(self.figure)) {
            (Clock::Launches, Ok((reel, _))) => first_shown(reel, 0).unwrap_or(0),
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
