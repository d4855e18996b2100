//! The results that a step's figure requests, computed synchronously: for a note, and for the start page.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::first::first_to_see;
use super::reel;
use crate::base::diag::Diagnostic;
use crate::figures::{self, ArgKind, Asks, Clock, Figure, Given, Subject};
use crate::gpu::simt;
use crate::job::{Job, Shown, TraceSpec};
use crate::lesson::{Env, Lesson, Step};
use crate::session::jobs::{self, Params, Purpose};
use crate::session::run::{self, Done};
use crate::trace::record::Backend;

/// Computes results on the calling thread, with the tracer.
pub struct Inline<'a> {
    /// The lesson.
    pub lesson: &'a Lesson,
    /// Seed of the random inputs.
    pub seed: u64,
    /// Lanes in a warp.
    pub warp_width: u32,
    /// Set when the results are no longer wanted.
    pub cancel: &'a AtomicBool,
}

/// A step's figure with the results that it is drawn from.
pub struct Answered {
    /// The figure.
    pub figure: &'static dyn Figure,
    /// The results that it asks for.
    pub asks: Asks,
    /// The requested results that are available: accesses, contents and numbers.
    pub given: Given,
    /// Ticks of its clock.
    pub ticks: usize,
    /// The tick at which the step begins, among those.
    pub first: usize,
}

/// The results that a step's figure asks for, as far as they do not depend on its compiled shaders. None if there is no such figure or pass.
#[must_use]
pub fn asks(lesson: &Lesson, step: &Step, params: &Params) -> Option<Asks> {
    let program = lesson.program(&step.variant.program)?;
    let job = jobs::sketch(lesson, &step.variant, params)?;
    let pass = program.place_of(&step.pass)?;
    Some(figures::find(&step.figure.name)?.asks(&Subject {
        picture: &step.figure,
        buffer: None,
        program,
        job: &job,
        pass,
    }))
}

impl Inline<'_> {
    /// The initial picture of the step's figure. `launches` is how often its pass runs, if that is known. None if there is no such figure or
    /// pass, or if something failed, which is then added to `problems`.
    pub fn answer(
        &self,
        step: &Step,
        params: &Params,
        launches: Option<u64>,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Answered> {
        let figure = figures::find(&step.figure.name)?;
        let program = self.lesson.program(&step.variant.program)?;
        let pass = program.place_of(&step.pass)?;
        let kernel = self.lesson.launched(&step.variant).get(pass).copied().flatten();
        let launch = launches.unwrap_or(u64::MAX).min(step.launch).saturating_sub(1);
        let purpose = Purpose { check: false, trace: None, ..run::purpose(Backend::Simt, self.seed, true) };
        let mut build = |purpose: &Purpose| {
            let built = jobs::build(self.lesson, &step.variant, params, purpose);
            built.map_err(|mut found| problems.append(&mut found)).ok()
        };
        let job = build(&purpose)?;
        let asks = figure.asks(&Subject { picture: &step.figure, buffer: None, program, job: &job, pass });
        let mut given = Given {
            ring: kernel.and_then(|kernel| kernel.cuda_only()?.ring.clone()),
            numbers: self.numbers(step, figure, params),
            ..Given::default()
        };
        let (mut ticks, mut first) = (0, 0);
        if !asks.film.is_empty() {
            let reel = reel::read(job, Some(program), &asks.film, |job| self.run(job));
            let reel = reel.map_err(|mut found| problems.append(&mut found)).ok()?;
            ticks = reel.film.frames.len();
            first = reel.film.frame_of(pass, launch).unwrap_or(ticks.saturating_sub(1));
            given.reel = Some(Ok(Arc::new(reel)));
        } else if asks.timeline {
            let spec = TraceSpec {
                timeline_workgroups: vec![0],
                only_timeline_workgroups: true,
                shown: Shown { pass, launch: step.launch.min(launches.unwrap_or(step.launch)).saturating_sub(1) },
                warp_width: self.warp_width,
                ..TraceSpec::default()
            };
            let job = build(&Purpose { trace: Some(spec), ..purpose })?;
            let done = self.run(job).map_err(|mut found| problems.append(&mut found)).ok()?;
            let timeline = done.record.passes.into_iter().nth(pass)?.timeline?;
            let events: Vec<usize> = timeline.of_warp(0, 0).collect();
            let source = kernel.map(|kernel| kernel.source().to_string()).unwrap_or_default();
            first = first_to_see(&timeline, &events, &source, &step.watch, step.at);
            ticks = if figure.card().clock == Clock::Events { events.len() } else { 0 };
            given.timeline = Arc::new(timeline);
        }
        Some(Answered { figure, asks, given, ticks, first })
    }

    fn numbers(&self, step: &Step, figure: &dyn Figure, params: &Params) -> std::collections::BTreeMap<String, f64> {
        let args = figure.card().args.iter().filter(|arg| arg.kind == ArgKind::Number);
        let names: Vec<&str> = args.map(|arg| arg.name).collect();
        let env = Env::fixed(&self.lesson.params, &self.lesson.values, params);
        let value = |(name, expr): (&str, _)| Some((name.to_owned(), env.eval(&expr).ok()?));
        step.figure.expressions(&names).filter_map(value).collect()
    }

    fn run(&self, job: Job) -> Result<Done, Vec<Diagnostic>> {
        match simt::run(&job, self.cancel, &mut |_| {}) {
            Ok(record) => Ok(Done { job, record }),
            Err(problem) => Err(vec![problem]),
        }
    }
}
