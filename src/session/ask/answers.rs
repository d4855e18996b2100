//! The answers that are known, and a view of them that notes each question.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::query::{Of, Outcome, Query, Store};
use crate::base::diag::Diagnostic;
use crate::figures::ask::Question;

/// The known answers.
#[derive(Clone, Debug, Default)]
pub struct Answers(HashMap<Query, Outcome>);

impl Answers {
    /// The outcome of a question; None if it is not known.
    #[must_use]
    pub fn get(&self, query: &Query) -> Option<&Outcome> {
        self.0.get(query)
    }

    /// The answer to a question about a subject, or the reasons why there is none; None if it is not known.
    #[must_use]
    pub fn known<Q: Question>(&self, of: impl Into<Of>, question: Q) -> Option<Result<&Arc<Q::Answer>, &[Diagnostic]>> {
        match self.get(&Query::new(of, question))? {
            Ok(answer) => Q::of(answer).map(Ok),
            Err(why) => Some(Err(why)),
        }
    }

    /// Keeps an outcome.
    pub fn insert(&mut self, query: Query, outcome: Outcome) {
        self.0.insert(query, outcome);
    }

    /// Drops all outcomes but these.
    pub fn retain(&mut self, mut keep: impl FnMut(&Query, &Outcome) -> bool) {
        self.0.retain(|query, outcome| keep(query, outcome));
    }

    /// The questions with their outcomes, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&Query, &Outcome)> {
        self.0.iter()
    }
}

impl Store for Answers {
    fn ask(&self, query: Query) -> Option<Outcome> {
        self.get(&query).cloned()
    }
}

/// Known answers, with a list of all that is asked: those that are missing can then be worked out.
pub struct Noting<'a> {
    answers: &'a Answers,
    asked: RefCell<Vec<Query>>,
}

impl<'a> Noting<'a> {
    /// A view of these answers.
    #[must_use]
    pub fn new(answers: &'a Answers) -> Self {
        Self { answers, asked: RefCell::default() }
    }

    /// The questions that were asked, in their order.
    #[must_use]
    pub fn asked(self) -> Vec<Query> {
        self.asked.into_inner()
    }
}

impl Store for Noting<'_> {
    fn ask(&self, query: Query) -> Option<Outcome> {
        let known = self.answers.ask(query.clone());
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&query) {
            asked.push(query);
        }
        known
    }
}
