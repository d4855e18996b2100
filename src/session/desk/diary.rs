//! The learner's story, and the review that is under way.

use std::collections::VecDeque;

use crate::session::learn::journal::Item;
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
