//! Judging a kernel that the learner wrote.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::devices::Devices;
use super::jobs;
use super::run;
use crate::base::diag::Diagnostic;
use crate::lesson::scope::{Env, Results};
use crate::lesson::{Exercise, Lesson};
use crate::trace::record::{Backend, Record};

/// The outcome of one try.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It does not run: why, all of it.
    Broken(Vec<Diagnostic>),
    /// It runs and gives a wrong result, or does something it must not.
    Wrong(Vec<Diagnostic>),
    /// The result is right, and the goal is not reached yet. With the traced record.
    Right(Box<Record>),
    /// Right, and the goal is reached.
    Solved(Box<Record>),
}

/// A try that takes longer than this is endless: a second or two, so that the learner is told soon.
const FUEL: u64 = 500_000_000;

/// Judges `source` on the tracer, so that the verdict is the same on every machine.
#[must_use]
pub fn judge(
    devices: &Devices,
    lesson: &Lesson,
    exercise: &Exercise,
    source: &str,
    seed: u64,
    cancel: &AtomicBool,
) -> Verdict {
    let Some(kernel) = lesson.kernels.iter().find(|k| k.id == exercise.kernel) else {
        return Verdict::Broken(vec![Diagnostic::error(format!("there is no kernel `{}`", exercise.kernel))]);
    };
    let params = jobs::with(&jobs::defaults(lesson), &exercise.set);
    let mut purpose = run::purpose(Backend::Simt, seed, true);
    if let Some(spec) = &mut purpose.trace {
        spec.fuel = FUEL;
    }
    let source: Arc<str> = source.into();
    let job = match jobs::build_from(lesson, kernel, "your kernel", &source, &params, &purpose) {
        Ok(job) => job,
        Err(problems) => return Verdict::Broken(problems),
    };
    let record = match devices.run(Backend::Simt, &job, cancel, &mut |_| {}) {
        Ok(record) => record,
        Err(problem) => return Verdict::Broken(vec![problem]),
    };
    let mut problems: Vec<Diagnostic> = run::failed_check(&job.file, &record).into_iter().collect();
    if let Some(trace) = &record.trace {
        problems.extend(trace.findings.iter().map(|finding| {
            let mut problem = Diagnostic::error(finding.message.clone()).in_file(&job.file);
            if let Some(place) = &mut problem.place {
                place.line = finding.line;
            }
            problem
        }));
    }
    if !problems.is_empty() {
        return Verdict::Wrong(problems);
    }
    let mut results = Results::default();
    results.insert_record("exercise", &record, job.bytes, job.flops);
    let reached = Env::new(lesson, &params, &results).eval(&exercise.goal);
    let record = Box::new(record);
    if reached.is_ok_and(|goal| goal != 0.0) { Verdict::Solved(record) } else { Verdict::Right(record) }
}
