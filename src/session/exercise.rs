//! Judging a kernel that the learner wrote.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::devices::Devices;
use super::jobs::{self, Written};
use super::run::{self, Runner};
use crate::base::diag::Diagnostic;
use crate::lesson::scope::{EXERCISE, Env, Results};
use crate::lesson::{Exercise, Lesson};
use crate::trace::FindingKind;
use crate::trace::record::{Backend, Record};

/// The outcome of one try.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It does not run: why, all of it.
    Broken(Vec<Diagnostic>),
    /// It runs on and on.
    Endless,
    /// It runs and gives a wrong result, or does something it must not.
    Wrong(Vec<Diagnostic>),
    /// The result is right, and the goal is not reached yet. With the traced record.
    Right(Box<Record>),
    /// Right, and the goal is reached.
    Solved(Box<Record>),
}

/// A try that takes longer than this is endless: a second or two, so that the learner is told soon.
const FUEL: u64 = 500_000_000;

/// What the file of a learner's kernel is called.
pub const YOURS: &str = "your kernel";

/// A kernel that a learner wrote for an exercise.
#[derive(Clone)]
pub struct Try {
    /// The lesson with the exercise.
    pub lesson: Arc<Lesson>,
    /// What the learner wrote.
    pub source: String,
    /// Seed of the random inputs.
    pub seed: u64,
}

impl Try {
    /// Judges it on the tracer, so that the verdict is the same on every machine; none where it was called off, or there is no exercise.
    #[must_use]
    pub fn judge(&self, devices: &Devices, cancel: &AtomicBool) -> Option<Verdict> {
        let exercise = self.lesson.exercise.as_ref()?;
        let verdict = self.run(devices, exercise, cancel).unwrap_or_else(Verdict::Broken);
        (!cancel.load(Ordering::Relaxed)).then_some(verdict)
    }

    /// # Errors
    /// What keeps it from running.
    fn run(&self, devices: &Devices, exercise: &Exercise, cancel: &AtomicBool) -> Result<Verdict, Vec<Diagnostic>> {
        let lesson = &self.lesson;
        let params = jobs::with(&jobs::defaults(lesson), &exercise.set);
        let mut purpose = run::purpose(Backend::Simt, self.seed, true);
        if let Some(spec) = &mut purpose.trace {
            spec.fuel = FUEL;
            spec.races = true;
        }
        let source: Arc<str> = self.source.as_str().into();
        let written = Written { pass: &exercise.pass, file: YOURS, source: &source };
        let job = jobs::build_with(lesson, &exercise.variant, &params, &purpose, Some(written))?;
        let runner = Runner { devices, backend: Backend::Simt, lesson, purpose: &purpose, cancel };
        let done = runner.job(job)?;
        if done.record.findings().any(|(_, finding)| finding.kind == FindingKind::OutOfFuel) {
            return Ok(Verdict::Endless);
        }
        let problems = done.problems();
        if !problems.is_empty() {
            return Ok(Verdict::Wrong(problems));
        }
        let mut results = Results::default();
        results.insert_record(EXERCISE, &done.record);
        let reached = Env::new(lesson, &params, &results).eval(&exercise.goal);
        let record = Box::new(done.record);
        Ok(if reached.is_ok_and(|goal| goal != 0.0) { Verdict::Solved(record) } else { Verdict::Right(record) })
    }
}
