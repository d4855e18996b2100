//! A store that works on the spot, in its caller's thread: for notes.

use std::cell::{Ref, RefCell};
use std::sync::atomic::AtomicBool;

use super::query::{Outcome, Query, Store};
use super::{Answers, no_compiler, trace};
use crate::base::diag::Diagnostic;
use crate::figures::ask::{AnyAnswer, By};

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

    /// The answers so far.
    pub fn answers(&self) -> Ref<'_, Answers> {
        self.answers.borrow()
    }

    /// Works out the answers to several questions about one program by one run of the tracer, as far as they are not known.
    pub fn ask_together(&self, queries: Vec<Query>) {
        let missing = queries.into_iter().filter(|query| self.answers.borrow().get(query).is_none()).collect();
        for group in super::together(missing) {
            self.work_out(&group);
        }
    }

    fn work_out(&self, queries: &[Query]) {
        for (answered, outcome) in trace(queries, &no_compiler, self.cancel) {
            self.report(&outcome);
            self.answers.borrow_mut().insert(answered, outcome);
        }
    }

    fn report(&self, outcome: &Outcome) {
        let found = match outcome {
            Ok(AnyAnswer::Counts(traced)) => traced.wrong.as_slice(),
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
    fn ask(&self, query: Query) -> Option<Outcome> {
        let known = self.answers.borrow().ask(query.clone());
        if known.is_none() && query.question.by() != By::Device {
            self.work_out(std::slice::from_ref(&query));
            return self.answers.borrow().ask(query);
        }
        known
    }
}
