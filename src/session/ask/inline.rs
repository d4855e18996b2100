//! A store that works on the spot, in its caller's thread: for notes.

use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

use super::question::{Answer, Outcome, Question, Store};
use super::trace::no_compiler;
use super::{Answers, trace};
use crate::base::diag::Diagnostic;

/// Known answers, to which the tracer adds those that are missing. Devices are not asked.
pub struct Inline<'a> {
    answers: RefCell<Answers>,
    problems: RefCell<Vec<Diagnostic>>,
    cancel: &'a AtomicBool,
}

impl<'a> Inline<'a> {
    /// A store that begins with these answers.
    #[must_use]
    pub fn new(answers: Answers, cancel: &'a AtomicBool) -> Self {
        Self { answers: RefCell::new(answers), problems: RefCell::default(), cancel }
    }

    /// The problems of all questions so far, each once.
    #[must_use]
    pub fn problems(self) -> Vec<Diagnostic> {
        self.problems.into_inner()
    }

    /// All answers, and the problems of all questions so far, each once.
    #[must_use]
    pub fn into_parts(self) -> (Answers, Vec<Diagnostic>) {
        (self.answers.into_inner(), self.problems.into_inner())
    }

    fn report(&self, outcome: &Outcome) {
        let found = match outcome {
            Ok(Answer::Traced(traced)) => traced.wrong.as_slice(),
            Ok(_) => &[],
            Err(problems) => problems,
        };
        let mut problems = self.problems.borrow_mut();
        for problem in found {
            if !problems.contains(problem) {
                problems.push(problem.clone());
            }
        }
    }
}

impl Store for Inline<'_> {
    fn ask(&self, question: Question) -> Option<Outcome> {
        let known = self.answers.borrow().ask(question.clone());
        if known.is_some() || question.is_of_device() {
            return known;
        }
        for (answered, outcome) in trace(&question, &no_compiler, self.cancel) {
            self.report(&outcome);
            self.answers.borrow_mut().insert(answered, outcome);
        }
        self.answers.borrow().ask(question)
    }
}
