//! The learner's story, and the review that is under way.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::base::day;
use crate::lesson::Lesson;
use crate::session::learn::journal::Item;
use crate::session::learn::ledger::due;
use crate::session::learn::predict::Guess;
use crate::session::learn::review::Prompt;
use crate::session::learn::story::Story;

/// The learner's story as the journal has it, and the writing, reading and review that will be added to it.
#[derive(Default)]
pub struct Diary {
    /// The story folded from the journal.
    pub story: Story,
    /// The time, in seconds since 1970.
    pub now: i64,
    /// Whether words are being written that are not in the journal yet.
    pub is_writing: bool,
    /// Whether the step on the screen is being read, and not the start page.
    pub is_reading: bool,
    /// The review that is under way.
    pub review: Option<Review>,
    /// Whether the journal's file is in the story.
    pub is_loaded: bool,
    /// The items that are due, the longest due first.
    pub due: Vec<Item>,
    /// When `due` was found last, in minutes since 1970; None where the story or the lessons have changed since.
    pub(super) counted: Option<i64>,
}

impl Diary {
    /// Finds the items that are due, if a minute has passed or something has changed.
    pub(super) fn count_due(&mut self, lessons: &[Arc<Lesson>]) {
        let minute = self.now.div_euclid(60);
        if self.counted.replace(minute) != Some(minute) {
            self.due = due(lessons, &self.story, self.now);
        }
    }

    /// Whether nothing was done yet today, and something on an earlier day.
    #[must_use]
    pub fn is_new_day(&self) -> bool {
        self.story.days.keys().next_back().is_some_and(|last| *last < day::of(self.now))
    }
}

/// A review that is under way.
#[derive(Default)]
pub struct Review {
    /// The prompt; None while the tracer answers, and at the end.
    pub prompt: Option<Prompt>,
    /// The answer that was given, and whether it was right.
    pub given: Option<(Option<Guess>, bool)>,
    /// How many there are, without those that come once more.
    pub all: usize,
    /// How many were answered, and how many of them right, at first.
    pub done: (usize, usize),
    /// The items still to be asked.
    pub(super) queue: VecDeque<Item>,
    /// The items answered wrong, to be asked once more.
    pub(super) wrong: VecDeque<Item>,
    /// Whether what was wrong is being asked once more.
    pub is_second: bool,
    /// Whether the tracer is answering.
    pub(super) waits: bool,
}

impl Review {
    /// Whether the tracer is answering what is asked next.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.waits
    }

    /// Whether all was asked.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.prompt.is_none() && !self.waits
    }
}
