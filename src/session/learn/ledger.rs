//! The ledger: what the learner knows, concept by concept, with its evidence; and what is due for review.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::journal::{Item, ItemKind, Standing};
use super::story::{Evidence, Moved, Story};
use crate::lesson::{Block, Lesson};

/// Tries of an exercise that count as a wrong answer, as long as it is not solved.
const TRIES: u32 = 3;

/// A concept in the ledger.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Concept {
    /// Its name.
    pub name: String,
    /// Where it is; None if nothing of it was begun.
    pub standing: Option<Standing>,
    /// That the learner moved it by hand, if they did.
    pub moved: Option<Moved>,
    /// The steps that introduce it.
    pub steps: Vec<Place>,
    /// The predictions and exercises that test it.
    pub evidence: Vec<Test>,
}

/// A step of a lesson, by their ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The lesson.
    pub lesson: String,
    /// The step.
    pub step: String,
    /// The step's title.
    pub title: String,
    /// Whether it was read.
    pub read: bool,
}

/// A prediction or an exercise that tests a concept.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Test {
    /// Which.
    pub item: Item,
    /// The step that it is on, by its id.
    pub step: String,
    /// The learner's answers so far.
    pub answers: Evidence,
}

impl Test {
    /// Whether it counts as right; None if it counts as neither.
    fn counts(&self) -> Option<bool> {
        self.answers.last.or((self.answers.tries >= TRIES).then_some(false))
    }
}

impl Concept {
    /// How many of its tests were answered right, of those that were answered, and how many there are.
    #[must_use]
    pub fn right(&self) -> (usize, usize, usize) {
        let known: Vec<bool> = self.evidence.iter().filter_map(Test::counts).collect();
        (known.iter().filter(|right| **right).count(), known.len(), self.evidence.len())
    }

    /// Where the rule puts a concept. A test is a prediction or an exercise that names the concept; it counts by its last graded answer, on its page
    /// or in a review. A solved exercise is right unless its solution was open; one that was tried three times in vain is wrong.
    ///
    /// - **Mastered**: at least two tests are right, or the only one is, and none is wrong.
    /// - **Blind spot**: at least one test is wrong, and no more are right than wrong.
    /// - **Developing**: anything else that was begun: a step that introduces it was read, or a test was tried.
    #[must_use]
    pub fn by_rule(&self) -> Option<Standing> {
        let (right, known, all) = self.right();
        let wrong = known - right;
        let is_begun =
            known > 0 || self.steps.iter().any(|step| step.read) || self.evidence.iter().any(|t| t.answers.tries > 0);
        match (right, wrong) {
            _ if !is_begun => None,
            (_, 1..) if right <= wrong => Some(Standing::BlindSpot),
            (1.., 0) if right >= all.min(2) => Some(Standing::Mastered),
            _ => Some(Standing::Developing),
        }
    }
}

/// All concepts of some lessons and those that the learner added, by name.
#[must_use]
pub fn concepts(lessons: &[Arc<Lesson>], story: &Story) -> Vec<Concept> {
    let mut all: BTreeMap<&str, Concept> = BTreeMap::new();
    let mut of = |name| {
        let (steps, evidence) = (Vec::new(), Vec::new());
        all.entry(name).or_insert_with(|| Concept {
            name: name.to_owned(),
            standing: None,
            moved: None,
            steps,
            evidence,
        });
    };
    let tests = |lesson: &Lesson, kind, id: &str, block: Block| {
        let item = Item { lesson: lesson.id.clone(), kind, id: id.to_owned() };
        let step = lesson.step_with(&block).map(|step| step.id.clone()).unwrap_or_default();
        let answers = story.items.get(&item).copied().unwrap_or_default();
        Test { item, step, answers }
    };
    lessons.iter().for_each(|lesson| names(lesson).for_each(&mut of));
    story.moved.keys().for_each(|name| of(name));
    for lesson in lessons {
        for step in &lesson.steps {
            let read = story.read.contains_key(&(lesson.id.clone(), step.id.clone()));
            let place = Place { lesson: lesson.id.clone(), step: step.id.clone(), title: step.title.clone(), read };
            for name in &step.teaches {
                all.entry(name).and_modify(|concept| concept.steps.push(place.clone()));
            }
        }
        for asked in &lesson.predictions {
            let test = tests(lesson, ItemKind::Prediction, &asked.id, Block::Predict(asked.id.clone()));
            for name in &asked.teaches {
                all.entry(name).and_modify(|concept| concept.evidence.push(test.clone()));
            }
        }
        for exercise in &lesson.exercises {
            let test = tests(lesson, ItemKind::Exercise, &exercise.id, Block::Exercise(exercise.id.clone()));
            for name in &exercise.teaches {
                all.entry(name).and_modify(|concept| concept.evidence.push(test.clone()));
            }
        }
    }
    let mut found: Vec<Concept> = all.into_values().collect();
    for concept in &mut found {
        concept.moved = story.moved.get(&concept.name).cloned();
        concept.standing = concept.moved.as_ref().map(|moved| moved.to).or_else(|| concept.by_rule());
    }
    found
}

fn names(lesson: &Lesson) -> impl Iterator<Item = &str> {
    let of_steps = lesson.steps.iter().flat_map(|step| &step.teaches);
    let of_predictions = lesson.predictions.iter().flat_map(|asked| &asked.teaches);
    let of_exercises = lesson.exercises.iter().flat_map(|exercise| &exercise.teaches);
    of_steps.chain(of_predictions).chain(of_exercises).map(String::as_str)
}

/// The items of some lessons that are due, the longest due first. Curves are drawn on their page alone, and are not asked again.
#[must_use]
pub fn due(lessons: &[Arc<Lesson>], story: &Story, now: i64) -> Vec<Item> {
    let is_there = |item: &Item| {
        let Some(lesson) = lessons.iter().find(|lesson| lesson.id == item.lesson) else { return false };
        match item.kind {
            ItemKind::Prediction => lesson.predictions.iter().any(|p| p.id == item.id && p.answer().is_some()),
            ItemKind::Exercise => lesson.exercises.iter().any(|exercise| exercise.id == item.id),
            ItemKind::Card => story.cards.contains_key(item),
        }
    };
    let answered = story.items.iter().filter_map(|(item, answers)| Some((answers.due()?, item)));
    // A card that was never asked is due a day after it was written.
    let fresh = story.cards.iter().filter(|(item, _)| !story.items.contains_key(item));
    let fresh = fresh.map(|(item, card)| (card.since.map_or(i64::MIN, |since| since.saturating_add(86_400)), item));
    let mut found: Vec<(i64, &Item)> =
        answered.chain(fresh).filter(|(at, item)| *at <= now && is_there(item)).collect();
    found.sort();
    found.into_iter().map(|(_, item)| item.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::learn::journal::{Did, Line};
    use crate::session::learn::predict::Guess;

    fn test(answers: Evidence) -> Test {
        let item = Item { lesson: "l".to_owned(), kind: ItemKind::Prediction, id: "p".to_owned() };
        Test { item, step: String::new(), answers }
    }

    fn standing(read: bool, last: &[Option<bool>], tries: u32) -> Option<Standing> {
        let evidence = last.iter().map(|last| test(Evidence { last: *last, tries, ..Evidence::default() })).collect();
        let place = Place { lesson: String::new(), step: String::new(), title: String::new(), read };
        Concept { name: String::new(), standing: None, moved: None, steps: vec![place], evidence }.by_rule()
    }

    #[test]
    fn the_rule_puts_a_concept_where_its_answers_are() {
        use Standing::{BlindSpot, Developing, Mastered};
        let (yes, no) = (Some(true), Some(false));
        for (read, last, tries, found) in [
            (false, &[None, None][..], 0, None),
            (true, &[None, None], 0, Some(Developing)),
            (false, &[None], 1, Some(Developing)),
            (false, &[None], 3, Some(BlindSpot)),
            (false, &[yes], 0, Some(Mastered)),
            (false, &[yes, None], 0, Some(Developing)),
            (false, &[yes, yes, None], 0, Some(Mastered)),
            (true, &[yes, no], 0, Some(BlindSpot)),
            (true, &[yes, yes, no], 0, Some(Developing)),
            (true, &[no], 0, Some(BlindSpot)),
            (true, &[], 0, Some(Developing)),
        ] {
            assert_eq!(standing(read, last, tries), found, "{read} {last:?} {tries}");
        }
    }

    #[test]
    fn the_fold_forgives_any_clock_and_counts_first_answers() {
        let mut story = Story::default();
        let line = |time, did| Line { time, lesson: "l".to_owned(), step: "s".to_owned(), did };
        let predicted = |right| Did::Predicted {
            id: "p".to_owned(),
            kind: "numbers".to_owned(),
            params: BTreeMap::new(),
            guess: Guess::Number(2.0),
            answer: Some(1.0),
            right: Some(right),
            off: Some(2.0),
        };
        story.take(&line(Some(1_000_000), predicted(false)));
        // With the answer in sight.
        story.take(&line(Some(1_000_001), predicted(true)));
        let item = test(Evidence::default()).item;
        assert_eq!((story.items[&item].graded, story.items[&item].last), (1, Some(false)));
        assert_eq!(story.calibration["numbers"].factor(), Some(2.0));
        let again =
            |right| Did::Reviewed { kind: ItemKind::Prediction, id: "p".to_owned(), right, set: BTreeMap::new() };
        for time in [i64::MIN, -5, 0, i64::MAX] {
            story.take(&line(Some(time), again(true)));
            story.take(&line(Some(time), Did::Read { seconds: u64::MAX }));
        }
        assert!(story.items[&item].memory.is_some_and(|memory| memory.stability.is_finite()));
        assert_eq!((story.items[&item].graded, story.items[&item].right), (5, 4));
        assert!(story.days.len() >= 2);
    }
}
