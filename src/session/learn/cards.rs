//! Questions in the learner's own words: a line that begins with `Q:`, and its answer in the lines from `A:` to the next empty line or question.

use std::collections::BTreeMap;

use serde::Serialize;

use super::journal::{Item, ItemKind, hash};

/// A question and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Card {
    /// The step that it was written on, by its id.
    pub step: String,
    /// The question.
    pub question: String,
    /// The answer.
    pub answer: String,
    /// When it was written first; None for before there was a journal.
    pub since: Option<i64>,
}

/// The questions in some words, with their answers; one without an answer is none.
#[must_use]
pub fn in_words(words: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut in_answer = false;
    for line in words.lines().map(str::trim) {
        if let Some(question) = line.strip_prefix("Q:") {
            // Both may be in one line.
            let (question, answer) = question.split_once(" A:").unwrap_or((question, ""));
            found.push((question.trim().to_owned(), answer.trim().to_owned()));
            in_answer = !answer.is_empty();
        } else if let (Some(answer), Some((_, of))) = (line.strip_prefix("A:"), found.last_mut()) {
            answer.trim().clone_into(of);
            in_answer = true;
        } else if line.is_empty() {
            in_answer = false;
        } else if let (true, Some((_, of))) = (in_answer, found.last_mut()) {
            of.push('\n');
            of.push_str(line);
        }
    }
    found.retain(|(question, answer)| !question.is_empty() && !answer.is_empty());
    found
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
    fn a_question_has_its_answer() {
        let words = "Q: How wide is a sector?\nA: 32 bytes,\nfour to a line.\n\nNot of it.\nQ: open\nQ:  Why?  \nA: Because.\nA:\n";
        let found = in_words(words);
        assert_eq!(found, [("How wide is a sector?".to_owned(), "32 bytes,\nfour to a line.".to_owned())]);
        assert_eq!(in_words("Q: Why?\nA: Because.").len(), 1);
        assert_eq!(in_words("Q: Why? A: Because\nof it."), [("Why?".to_owned(), "Because\nof it.".to_owned())]);
        assert!(in_words("A: no question").is_empty());
    }

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
