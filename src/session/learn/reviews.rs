//! The review schedule for the command line: due items, and the times of the others.

use std::sync::Arc;

use serde::Serialize;

use super::journal::Item;
use super::ledger::scheduled;
use super::story::Story;
use super::told;
use crate::lesson::Lesson;

/// The items that come back, the first one first.
#[derive(Serialize)]
pub struct Reviews {
    /// Those that are due now, the longest due first.
    due: Vec<Review>,
    /// The others.
    later: Vec<Review>,
}

#[derive(Serialize)]
struct Review {
    #[serde(flatten)]
    item: Item,
    /// When it is due, in seconds since 1970; None for an answer from before there was a journal, which is due.
    due: Option<i64>,
}

impl Reviews {
    /// All items of some lessons, at some time, in seconds since 1970.
    #[must_use]
    pub fn of(lessons: &[Arc<Lesson>], story: &Story, now: i64) -> Self {
        let all = scheduled(lessons, story).into_iter();
        let (due, later) = all.partition::<Vec<_>, _>(|(at, _)| *at <= now);
        let review = |(at, item): (i64, Item)| Review { item, due: Some(at).filter(|at| *at != i64::MIN) };
        Self { due: due.into_iter().map(review).collect(), later: later.into_iter().map(review).collect() }
    }

    /// In Markdown, line by line.
    #[must_use]
    pub fn lines(&self, lessons: &[Arc<Lesson>], now: i64) -> Vec<String> {
        if self.due.is_empty() && self.later.is_empty() {
            return vec!["Nothing comes back yet: reviews come a day or more after an answer.".to_owned()];
        }
        let mut lines = vec![format!("# Due ({})", self.due.len()), String::new()];
        lines.extend(self.due.iter().map(|review| format!("- {}", told::item(lessons, &review.item))));
        if let Some(next) = self.later.first().and_then(|next| next.due) {
            let many = if self.due.is_empty() { "" } else { "\n" };
            lines.push(format!("{many}{} more later, the next {}.", self.later.len(), told::ahead(next - now)));
        }
        lines
    }
}
