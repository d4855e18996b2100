//! Answers and kernels of a page's reader, judged.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use crate::base::units::{figure, number};
use crate::gpu::client::WorkerCommand;
use crate::lesson::Lesson;
use crate::session::learn::exercise::{Reached, Try, Verdict};
use crate::session::learn::predict::{Answer, Asked as Questioned, Guess};
use crate::session::learn::{graded, question};
use crate::session::run::devices::Devices;
use crate::trace::record::Backend;

/// An answer that was graded, or a kernel that was judged.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Whether it is right; None if that could not be decided.
    pub right: Option<bool>,
    /// The verdict and what was found, in lines.
    pub said: Vec<String>,
    /// The parts of an exercise's goal: a quantity, what it is, what it must be.
    pub parts: Vec<[String; 3]>,
}

/// Grades an answer to a question, by the recorded answer or else by the tracer.
#[must_use]
pub fn answer(lesson: &Lesson, seed: u64, id: &str, guess: &Guess, recorded: Option<Answer>) -> Outcome {
    let Some(prediction) = lesson.predictions.iter().find(|prediction| prediction.id == id) else {
        return undecided(vec![format!("the lesson has no question `{id}`")]);
    };
    let params = question::settings(lesson, prediction);
    let asked = Questioned { lesson, prediction, params: &params, seed, bounds_checks: true };
    let devices = Devices::new(WorkerCommand::this_program());
    let traced = match recorded {
        Some(answer) => Ok(answer),
        None => asked.answer(&devices, Backend::Simt, &AtomicBool::new(false)),
    };
    let answer = match traced {
        Ok(answer) => answer,
        Err(problems) => return undecided(problems.iter().map(ToString::to_string).collect()),
    };
    let verdict = graded::verdict(prediction, guess, &answer, "your").unwrap_or_default();
    let found = answer.deciding().zip(prediction.answer()).map(|(value, decl)| {
        let by = match (&answer.recorded, &answer.device) {
            (Some(day), Some(device)) => format!("recorded on {device}, {day}"),
            _ if decl.probes.is_empty() => "by arithmetic".to_owned(),
            _ => "from the trace".to_owned(),
        };
        format!("{}, {by}.", figure(value, &decl.unit))
    });
    let right = graded::graded(&prediction.asks, guess, &answer).right;
    Outcome { right, said: [verdict].into_iter().chain(found).collect(), parts: Vec::new() }
}

/// Judges a kernel that was written for an exercise.
#[must_use]
pub fn kernel(lesson: &Arc<Lesson>, seed: u64, exercise: String, source: String) -> Outcome {
    let tried = Try { lesson: lesson.clone(), exercise, source, seed };
    let devices = Devices::new(WorkerCommand::this_program());
    let Some(judged) = tried.judge_and_explain(&devices, &AtomicBool::new(false)) else {
        return undecided(vec![format!("the lesson has no exercise `{}`", tried.exercise)]);
    };
    let (right, words, problems) = match &judged.verdict {
        Verdict::Broken(problems) => (false, "It does not run.", problems.as_slice()),
        Verdict::Endless => (false, "It does not end.", &[][..]),
        Verdict::Wrong(_, problems) => (false, "It runs, and something is wrong.", problems.as_slice()),
        Verdict::Right(_) => (false, "Its result is right. The goal is not reached yet.", &[][..]),
        Verdict::Solved(_) => (true, "Solved: its result is right, and the goal is reached.", &[][..]),
    };
    let lines = [words.to_owned()].into_iter().chain(problems.iter().map(ToString::to_string));
    let part = |part: &Reached| [part.of.clone(), number(part.have), part.needed()];
    let parts = judged.parts.iter().filter(|part| !part.of.is_empty()).map(part);
    Outcome { right: Some(right), said: lines.chain(judged.mistake).collect(), parts: parts.collect() }
}

fn undecided(said: Vec<String>) -> Outcome {
    Outcome { said, ..Outcome::default() }
}
