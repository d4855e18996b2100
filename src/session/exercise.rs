//! Judging a kernel that the learner wrote.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::devices::Devices;
use super::jobs;
use super::run;
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
        let kernel = lesson
            .kernel(&exercise.kernel)
            .ok_or_else(|| vec![Diagnostic::error(format!("there is no kernel `{}`", exercise.kernel))])?;
        let params = jobs::with(&jobs::defaults(lesson), &exercise.set);
        let mut purpose = run::purpose(Backend::Simt, self.seed, true);
        if let Some(spec) = &mut purpose.trace {
            spec.fuel = FUEL;
            spec.races = true;
        }
        let source: Arc<str> = self.source.as_str().into();
        let job = jobs::build_from(lesson, kernel, "your kernel", &source, &params, &purpose)?;
        let record = devices.run(Backend::Simt, &job, cancel, &mut |_| {}).map_err(|problem| vec![problem])?;
        let mut findings = record.trace.iter().flat_map(|trace| &trace.findings);
        if findings.any(|finding| finding.kind == FindingKind::OutOfFuel) {
            return Ok(Verdict::Endless);
        }
        let mut problems: Vec<Diagnostic> = run::failed_check(&job.file, &record).into_iter().collect();
        let findings = record.trace.iter().flat_map(|trace| &trace.findings);
        problems.extend(findings.map(|finding| finding.diagnostic(&job.file)));
        if !problems.is_empty() {
            return Ok(Verdict::Wrong(problems));
        }
        let mut results = Results::default();
        results.insert_record(EXERCISE, &record, job.bytes, job.flops);
        let reached = Env::new(lesson, &params, &results).eval(&exercise.goal);
        let record = Box::new(record);
        Ok(if reached.is_ok_and(|goal| goal != 0.0) { Verdict::Solved(record) } else { Verdict::Right(record) })
    }
}
