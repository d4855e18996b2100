//! Questions in the learner's own words as cards that are reviewed.

use std::collections::BTreeMap;

use serde::Serialize;

use super::journal::{Item, ItemKind, hash};
use crate::notes::cards::in_words;

/// A question and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Card {
    /// The step that it was written on, by its id.
    pub step: String,
    pub question: String,
    pub answer: String,
    /// When it was written first; None for before there was a journal.
    pub since: Option<i64>,
}

/// Takes the words on a step: its former questions go, and those that stay keep their first time.
pub(super) fn take(cards: &mut BTreeMap<Item, Card>, (lesson, step): (&str, &str), words: &str, time: Option<i64>) {
    let item = |question: &str| Item {
        lesson: lesson.to_owned(),
        kind: ItemKind::Card,
        id: hash(&format!("{step}\n{question}")),
    };
    let now = in_words(words).into_iter().map(|(question, answer)| (item(&question), question, answer));
    let now: Vec<(Item, Card)> = now
        .map(|(item, question, answer)| {
            let since = cards.get(&item).map_or(time, |card| card.since);
            (item, Card { step: step.to_owned(), question, answer, since })
        })
        .collect();
    cards.retain(|item, card| item.lesson != lesson || card.step != step);
    cards.extend(now);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_stays_keeps_its_time() {
        let mut cards = BTreeMap::new();
        take(&mut cards, ("l", "s"), "Q: a\nA: 1\n\nQ: b\nA: 2", Some(1));
        take(&mut cards, ("l", "s"), "Q: a\nA: 3", Some(2));
        take(&mut cards, ("l", "t"), "Q: a\nA: 4", Some(3));
        let found: Vec<_> = cards.values().map(|card| (card.answer.as_str(), card.since)).collect();
        assert_eq!(found.len(), 2);
        assert!(found.contains(&("3", Some(1))) && found.contains(&("4", Some(3))), "{found:?}");
    }
}
