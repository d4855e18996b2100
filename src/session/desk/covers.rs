//! The lessons' cover pictures on the start page, as the page requests them.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::state::State;
use crate::gpu::simt;
use crate::session::ask::{Noting, Query};
use crate::session::show::cover::{self, Cover};
use crate::session::show::staged::Sources;

/// The requested pictures, by lesson.
#[derive(Default)]
pub struct Covers(BTreeMap<String, Wanted>);

/// A requested picture.
enum Wanted {
    /// Its results are not complete yet.
    Waiting,
    /// It is there.
    Ready(Rc<Cover>),
    /// It cannot be traced.
    Failed,
}

impl Covers {
    /// A lesson's picture; None before it is there, and if it cannot be traced.
    #[must_use]
    pub fn of(&self, lesson: &str) -> Option<&Rc<Cover>> {
        match self.0.get(lesson)? {
            Wanted::Ready(cover) => Some(cover),
            Wanted::Waiting | Wanted::Failed => None,
        }
    }

    /// Whether a lesson's picture was requested.
    #[must_use]
    pub fn is_asked(&self, lesson: &str) -> bool {
        self.0.contains_key(lesson)
    }

    /// Requests a lesson's picture.
    pub(super) fn ask(&mut self, lesson: &str) {
        self.0.entry(lesson.to_owned()).or_insert(Wanted::Waiting);
    }
}

impl State {
    /// Draws the requested pictures whose results are all known; returns the questions of the others.
    pub(super) fn cover_questions(&mut self) -> Vec<Query> {
        let device = simt::device();
        let mut questions = Vec::new();
        let mut covers = std::mem::take(&mut self.covers);
        for (id, wanted) in covers.0.iter_mut().filter(|(_, wanted)| matches!(wanted, Wanted::Waiting)) {
            let Some(lesson) = self.library.pack.lessons.iter().find(|lesson| lesson.id == *id) else { continue };
            let noting = Noting::new(&self.found.answers);
            let found = cover::of(lesson, &noting, &Sources::of_device(&device));
            let asked = noting.asked();
            let known = |query: &Query| self.found.answers.get(query).map(Result::is_ok);
            *wanted = match found {
                _ if asked.iter().any(|query| known(query) == Some(false)) => Wanted::Failed,
                Some(cover) if asked.iter().all(|query| known(query).is_some()) => Wanted::Ready(Rc::new(cover)),
                None if asked.is_empty() => Wanted::Failed,
                _ => {
                    questions.extend(asked);
                    Wanted::Waiting
                }
            };
        }
        self.covers = covers;
        questions
    }
}
