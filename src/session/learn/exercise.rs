//! Judging a kernel that the learner wrote.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::base::diag::Diagnostic;
use crate::base::expr::Expr;
use crate::base::units::number;
use crate::lesson::scope::{EXERCISE, Env, Results};
use crate::lesson::{Catch, Exercise, GoalPart, Lesson, Need};
use crate::session::jobs::own::YOURS;
use crate::session::jobs::{self, Params, Written};
use crate::session::run::devices::Devices;
use crate::session::run::{self, Runner};
use crate::trace::FindingKind;
use crate::trace::record::{Backend, Record};

/// The outcome of one try.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It does not run: all the reasons.
    Broken(Vec<Diagnostic>),
    /// It does not terminate within its fuel.
    Endless,
    /// It runs and gives a wrong result, or does something forbidden: the kinds of mistakes, and all of them in words.
    Wrong(Vec<Catch>, Vec<Diagnostic>),
    /// The result is right, and the goal is not reached yet. With the traced record.
    Right(Box<Record>),
    /// Right, and the goal is reached.
    Solved(Box<Record>),
}

impl Verdict {
    /// The kinds of mistakes that keep the kernel from solving the exercise; empty if it solves it.
    #[must_use]
    pub fn caught_by(&self) -> Vec<Catch> {
        match self {
            Self::Broken(_) => vec![Catch::Compile],
            Self::Endless => vec![Catch::Endless],
            Self::Wrong(caught, _) => caught.clone(),
            Self::Right(_) => vec![Catch::Goal],
            Self::Solved(_) => Vec::new(),
        }
    }
}

/// A verdict, and the mistake that explains it.
#[derive(Clone, Debug)]
pub struct Judged {
    pub verdict: Verdict,
    /// The mistake of a wrong kernel of the exercise that behaves the same, in the lesson's words.
    pub mistake: Option<String>,
    /// The goal's parts, if the result is right.
    pub parts: Vec<Reached>,
}

/// A part of a goal after a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Reached {
    /// The quantity, in words; empty if the goal is a single condition.
    pub of: String,
    /// The figure of the run.
    pub have: f64,
    /// The figure that it must have; None if it is a condition.
    pub need: Option<f64>,
    /// Whether less is fine, too.
    pub at_most: bool,
    /// Whether it is reached.
    pub ok: bool,
    /// The kind of events that it counts, if it is about one kind.
    pub counts: Option<super::event_class::EventClass>,
}

impl Reached {
    /// The requirement in words.
    #[must_use]
    pub fn needed(&self) -> String {
        let bound = if self.at_most { "at most " } else { "" };
        self.need.map(|need| format!("{bound}{}", number(need))).unwrap_or_default()
    }
}

/// Fuel of a try. One that needs more counts as endless: a second or two, so that the verdict comes soon.
const FUEL: u64 = 500_000_000;

/// A kernel that a learner wrote for an exercise.
#[derive(Clone)]
pub struct Try {
    pub lesson: Arc<Lesson>,
    /// The exercise, by its id.
    pub exercise: String,
    /// The learner's source text.
    pub source: String,
    /// Seed of the random inputs.
    pub seed: u64,
}

impl Try {
    /// Judges it on the tracer, so that the verdict is the same on every machine; None if cancelled, or if there is no
    /// such exercise.
    #[must_use]
    pub fn judge(&self, devices: &Devices, cancel: &AtomicBool) -> Option<Verdict> {
        let exercise = self.lesson.exercises.iter().find(|exercise| exercise.id == self.exercise)?;
        let verdict = self.run(devices, exercise, cancel).unwrap_or_else(Verdict::Broken);
        (!cancel.load(Ordering::Relaxed)).then_some(verdict)
    }

    /// Judges it, and looks for a wrong kernel of the exercise that behaves the same. None as for [`Try::judge`].
    #[must_use]
    pub fn judge_and_explain(&self, devices: &Devices, cancel: &AtomicBool) -> Option<Judged> {
        let verdict = self.judge(devices, cancel)?;
        let exercise = self.lesson.exercises.iter().find(|exercise| exercise.id == self.exercise)?;
        let mut known = exercise.wrong.iter().filter(|wrong| verdict.caught_by().contains(&wrong.caught_by));
        let mistake = known.find_map(|wrong| {
            let other = Self { source: wrong.source.to_string(), ..self.clone() };
            let is_same = is_same(&verdict, &other.judge(devices, cancel)?);
            wrong.says.clone().filter(|_| is_same)
        });
        let params = jobs::with(&jobs::defaults(&self.lesson), &exercise.set);
        let parts = match &verdict {
            Verdict::Right(record) | Verdict::Solved(record) => self.reached(exercise, &params, record),
            _ => Vec::new(),
        };
        Some(Judged { verdict, mistake, parts })
    }

    /// The parts of the goal after a run at some parameters.
    fn reached(&self, exercise: &Exercise, params: &Params, record: &Record) -> Vec<Reached> {
        let mut results = Results::default();
        results.insert_record(EXERCISE, record);
        let env = Env::new(&self.lesson, params, &results);
        let value = |expr: &Expr| env.eval(expr).unwrap_or(f64::NAN);
        let part = |part: &GoalPart| {
            let have = value(&part.have);
            let (need, at_most, ok) = match &part.need {
                Need::AtMost(most) => (Some(value(most)), true, have <= value(most)),
                Need::Exactly(exact) => (Some(value(exact)), false, have == value(exact)),
                Need::Nonzero => (None, false, have != 0.0 && !have.is_nan()),
            };
            let counts = part.have.names().into_iter().find_map(|(name, _)| super::event_class::EventClass::of(name));
            Reached { of: part.of.clone(), have, need, at_most, ok, counts }
        };
        exercise.goal.iter().map(part).collect()
    }

    fn run(&self, devices: &Devices, exercise: &Exercise, cancel: &AtomicBool) -> Result<Verdict, Vec<Diagnostic>> {
        let defaults = jobs::defaults(&self.lesson);
        // Problems at the exercise's own settings are reported first; those at other settings name them.
        let verdict = self.run_at(devices, exercise, &jobs::with(&defaults, &exercise.set), cancel)?;
        if !matches!(verdict, Verdict::Right(_) | Verdict::Solved(_)) {
            return Ok(verdict);
        }
        for set in &exercise.also {
            let elsewhere = self.run_at(devices, exercise, &jobs::with(&defaults, set), cancel);
            let at: Vec<String> = set.iter().map(|(id, value)| format!("{id} = {value}")).collect();
            let told = |mut problem: Diagnostic| {
                problem.message = format!("{} (at {})", problem.message, at.join(", "));
                problem
            };
            match elsewhere.map_err(|problems| problems.into_iter().map(told).collect::<Vec<_>>())? {
                Verdict::Wrong(caught, problems) => {
                    return Ok(Verdict::Wrong(caught, problems.into_iter().map(told).collect()));
                }
                Verdict::Endless => return Ok(Verdict::Endless),
                Verdict::Broken(_) | Verdict::Right(_) | Verdict::Solved(_) => {}
            }
        }
        Ok(verdict)
    }

    /// Judges it at some parameters.
    fn run_at(
        &self,
        devices: &Devices,
        exercise: &Exercise,
        params: &Params,
        cancel: &AtomicBool,
    ) -> Result<Verdict, Vec<Diagnostic>> {
        let lesson = &self.lesson;
        let mut purpose = run::purpose(Backend::Simt, self.seed, true);
        if let Some(spec) = &mut purpose.trace {
            spec.fuel = FUEL;
            spec.races = true;
        }
        let source: Arc<str> = self.source.as_str().into();
        let written = Written { pass: &exercise.pass, file: YOURS, source: &source };
        let job = jobs::build_with(lesson, &exercise.variant, params, &purpose, Some(written))?;
        let runner = Runner { devices, backend: Backend::Simt, lesson, purpose: &purpose, cancel };
        let done = runner.job(job)?;
        if done.record.findings().any(|(_, finding)| finding.kind == FindingKind::OutOfFuel) {
            return Ok(Verdict::Endless);
        }
        let problems = done.problems();
        if !problems.is_empty() {
            return Ok(Verdict::Wrong(caught(&done.record), problems));
        }
        let is_solved = self.reached(exercise, params, &done.record).iter().all(|part| part.ok);
        let record = Box::new(done.record);
        Ok(if is_solved { Verdict::Solved(record) } else { Verdict::Right(record) })
    }
}

/// Whether two kernels behave the same: the same findings and wrong elements, or right results with the same counts.
fn is_same(one: &Verdict, other: &Verdict) -> bool {
    match (one, other) {
        (Verdict::Wrong(_, one), Verdict::Wrong(_, other)) => {
            let messages = |problems: &[Diagnostic]| -> Vec<String> {
                problems.iter().map(|problem| problem.message.clone()).collect()
            };
            messages(one) == messages(other)
        }
        (Verdict::Right(one), Verdict::Right(other)) => {
            let counts = |record: &Record| -> Vec<_> {
                record.passes.iter().filter_map(|pass| pass.trace.as_ref()).map(|t| (t.global, t.shared)).collect()
            };
            counts(one) == counts(other)
        }
        _ => false,
    }
}

/// The kinds of mistakes in a record.
fn caught(record: &Record) -> Vec<Catch> {
    let failed = record.checks.iter().any(|check| !check.ok).then_some(Catch::Result);
    let found = record.findings().map(|(_, finding)| Catch::from(finding.kind));
    let mut caught: Vec<Catch> = Vec::new();
    for kind in failed.into_iter().chain(found) {
        if !caught.contains(&kind) {
            caught.push(kind);
        }
    }
    caught
}
