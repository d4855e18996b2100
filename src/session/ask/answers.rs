//! The answers that are known, and a view of them that notes each question.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::At;
use super::question::{Accesses, Answer, Built, Coursed, Outcome, Question, Store, Traced};
use crate::base::diag::Diagnostic;
use crate::figures::Reel;
use crate::job::Shown;
use crate::trace::Heat;
use crate::trace::provenance::Origin;
use crate::trace::record::{Backend, Ceilings, Record};

/// The known answers.
#[derive(Clone, Debug, Default)]
pub struct Answers(HashMap<Question, Outcome>);

/// Takes the answer of one kind out of an outcome; None without an outcome.
macro_rules! answer {
    ($outcome:expr, $kind:ident) => {
        match $outcome {
            Some(Ok(Answer::$kind(answer))) => Some(Ok(answer)),
            Some(Err(why)) => Some(Err(why.as_ref())),
            _ => None,
        }
    };
}

/// A known answer, or the reasons why there is none.
type Known<'a, T> = Option<Result<&'a T, &'a [Diagnostic]>>;

impl Answers {
    /// The outcome of a question; None if it is not known.
    #[must_use]
    pub fn get(&self, question: &Question) -> Option<&Outcome> {
        self.0.get(question)
    }

    /// Keeps an outcome.
    pub fn insert(&mut self, question: Question, outcome: Outcome) {
        self.0.insert(question, outcome);
    }

    /// Drops all outcomes but these.
    pub fn retain(&mut self, mut keep: impl FnMut(&Question, &Outcome) -> bool) {
        self.0.retain(|question, outcome| keep(question, outcome));
    }

    /// The questions with their outcomes, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&Question, &Outcome)> {
        self.0.iter()
    }

    /// A program with its shaders compiled.
    #[must_use]
    pub fn built(&self, at: &At) -> Known<'_, Arc<Built>> {
        answer!(self.get(&Question::Build(at.clone())), Built)
    }

    /// A program's counts.
    #[must_use]
    pub fn counts(&self, at: &At) -> Known<'_, Arc<Traced>> {
        answer!(self.get(&Question::Counts(at.clone())), Traced)
    }

    /// How often a launch fetches elements.
    #[must_use]
    pub fn heat(&self, at: &At, shown: Shown) -> Known<'_, Arc<Heat>> {
        answer!(self.get(&Question::Heat(at.clone(), shown)), Heat)
    }

    /// The accesses of a workgroup of a launch.
    #[must_use]
    pub fn accesses(&self, at: &At, shown: Shown, workgroup: u32) -> Known<'_, Arc<Accesses>> {
        answer!(self.get(&Question::Accesses(at.clone(), shown, workgroup)), Accesses)
    }

    /// The intervals of a launch's workgroups between barriers.
    #[must_use]
    pub fn course(&self, at: &At, shown: Shown, variables: &[String]) -> Known<'_, Arc<Coursed>> {
        answer!(self.get(&Question::Course(at.clone(), shown, variables.to_vec())), Course)
    }

    /// The contents of buffers after each launch.
    #[must_use]
    pub fn film(&self, at: &At, buffers: &[String]) -> Known<'_, Arc<Reel>> {
        answer!(self.get(&Question::Film(at.clone(), buffers.to_vec())), Reel)
    }

    /// The origin of an element.
    #[must_use]
    pub fn origin(&self, at: &At, buffer: &str, index: u64) -> Known<'_, Arc<Origin>> {
        answer!(self.get(&Question::Origin(at.clone(), buffer.to_owned(), index)), Origin)
    }

    /// A program's measurement.
    #[must_use]
    pub fn time(&self, at: &At) -> Known<'_, Arc<Record>> {
        answer!(self.get(&Question::Time(at.clone())), Timed)
    }

    /// A device's ceilings.
    #[must_use]
    pub fn ceilings(&self, backend: Backend) -> Known<'_, Ceilings> {
        answer!(self.get(&Question::Ceilings(backend)), Ceilings)
    }
}

impl Store for Answers {
    fn ask(&self, question: Question) -> Option<Outcome> {
        self.get(&question).cloned()
    }
}

/// Known answers, with a list of all that is asked: those that are missing can then be worked out.
pub struct Noting<'a> {
    answers: &'a Answers,
    asked: RefCell<Vec<Question>>,
}

impl<'a> Noting<'a> {
    /// A view of these answers.
    #[must_use]
    pub fn new(answers: &'a Answers) -> Self {
        Self { answers, asked: RefCell::default() }
    }

    /// The questions that were asked, in their order.
    #[must_use]
    pub fn asked(self) -> Vec<Question> {
        self.asked.into_inner()
    }
}

impl Store for Noting<'_> {
    fn ask(&self, question: Question) -> Option<Outcome> {
        let known = self.answers.ask(question.clone());
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&question) {
            asked.push(question);
        }
        known
    }
}
