//! The review on the desk: what is due is asked one after the other, and what was wrong once more at the end.

use std::collections::VecDeque;

use super::Desk;
use super::command::ReviewCommand;
use super::diary::Review;
use crate::lesson::Block;
use crate::session::learn::journal::{Did, Item, ItemKind};
use crate::session::learn::predict::Guess;
use crate::session::learn::review::{Again, Ask, Prompt};

/// The most that one review asks.
const MOST: usize = 20;

impl Desk {
    pub(super) fn review(&mut self, command: ReviewCommand) {
        match command {
            ReviewCommand::Begin => {
                let queue: VecDeque<Item> = self.state.diary.due.iter().take(MOST).cloned().collect();
                self.state.diary.review = Some(Review { all: queue.len(), queue, ..Review::default() });
                self.ask_next();
            }
            ReviewCommand::Answer(guess) => {
                let prompt = self.state.diary.review.as_ref().and_then(|review| review.prompt.as_ref());
                if let Some(right) = prompt.and_then(|prompt| prompt.is_right(&guess)) {
                    self.answered(Some(guess), right);
                }
            }
            ReviewCommand::Grade(right) => self.answered(None, right),
            ReviewCommand::Exercise => self.open_exercise(),
            ReviewCommand::Next => self.ask_next(),
            ReviewCommand::End => {
                self.threads.reviews.cancel();
                self.state.diary.review = None;
            }
        }
    }

    /// Enters an answer; one that was wrong at first comes once more at the end.
    fn answered(&mut self, guess: Option<Guess>, right: bool) {
        let Some(review) = self.state.diary.review.as_mut().filter(|review| review.given.is_none()) else { return };
        let Some(prompt) = &review.prompt else { return };
        let Item { lesson, kind, id } = prompt.item.clone();
        let set = prompt.set.iter().map(|(id, [_, to])| (id.clone(), *to)).collect();
        let step = match kind {
            ItemKind::Prediction => prompt.lesson.step_with(&Block::Predict(id.clone())).map(|step| step.id.clone()),
            ItemKind::Exercise => prompt.lesson.step_with(&Block::Exercise(id.clone())).map(|step| step.id.clone()),
            ItemKind::Card => self.state.diary.story.cards.get(&prompt.item).map(|card| card.step.clone()),
        };
        if !review.is_second {
            review.done = (review.done.0 + 1, review.done.1 + usize::from(right));
            if !right {
                review.wrong.push_back(prompt.item.clone());
            }
        }
        review.given = Some((guess, right));
        self.record_on(lesson, step.unwrap_or_default(), Did::Reviewed { kind, id, right, set });
    }

    /// Has the tracer answer what is asked next.
    fn ask_next(&mut self) {
        let Some(review) = &mut self.state.diary.review else { return };
        (review.prompt, review.given, review.waits) = (None, None, false);
        if review.queue.is_empty() {
            review.is_second = true;
            review.queue = std::mem::take(&mut review.wrong);
        }
        let Some(item) = review.queue.pop_front() else { return };
        let lesson = self.state.library.pack.lessons.iter().find(|lesson| lesson.id == item.lesson).cloned();
        let Some(lesson) = lesson else { return self.ask_next() };
        let card = self.state.diary.story.cards.get(&item).cloned();
        let times = self.state.diary.story.items.get(&item).map_or(0, |answers| answers.graded);
        let seed = self.state.place.options.seed;
        review.waits = self.threads.reviews.replace(Again { item, lesson, card, times, seed });
    }

    /// Takes what is asked next.
    pub(super) fn take_prompt(&mut self, prompt: Prompt) {
        if let Some(review) = self.state.diary.review.as_mut().filter(|review| review.waits) {
            (review.prompt, review.waits) = (Some(prompt), false);
        }
    }

    /// Opens the exercise that is asked on its page, as it starts. The solution that was found stays.
    fn open_exercise(&mut self) {
        let prompt = self.state.diary.review.as_ref().and_then(|review| review.prompt.as_ref());
        let Some((Ask::Exercise(id), lesson)) = prompt.map(|prompt| (prompt.ask.clone(), prompt.lesson.clone())) else {
            return;
        };
        let step = lesson.steps.iter().position(|step| step.exercises().any(|of| of == id));
        let yours = lesson.exercises.iter().find(|exercise| exercise.id == id).map(|exercise| exercise.yours());
        self.open_lesson(&lesson.id);
        if let Some(step) = step {
            self.go_to(step);
        }
        if let Some(yours) = yours {
            self.reset_edit(&yours);
        }
        self.state.diary.review = None;
    }
}
