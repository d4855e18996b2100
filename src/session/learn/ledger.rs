//! The ledger: what the learner knows, concept by concept, with its evidence; and what is due for review.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use super::evidence::Evidence;
use super::journal::{Item, ItemKind, Standing};
use super::story::{Moved, Story};
use crate::lesson::{Block, Lesson};

/// Tries of an exercise that count as a wrong answer, as long as it is not solved.
const TRIES: u32 = 3;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Concept {
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
    pub lesson: String,
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
    /// On how many days its tests were answered right since their last wrong answers, and whether one of these answers
    /// was with other numbers than in the lesson, or a kernel.
    #[must_use]
    pub fn since(&self) -> (usize, bool) {
        let rows = || self.evidence.iter().map(|test| test.answers.since);
        let days: BTreeSet<i64> = rows().filter_map(|row| row.days).flatten().collect();
        (days.len(), rows().any(|row| row.varied))
    }

    /// Where the rule puts a concept. A test is a prediction or an exercise that names the concept; it counts by its
    /// last answer that was given without the solution in sight ([`Evidence`]). An exercise that was tried three times
    /// in vain is wrong until it is solved.
    ///
    /// - **Mastered**: no test is wrong, and there are right answers of two days, one of them with other numbers than
    ///   in the lesson or a kernel that was written.
    /// - **Blind spot**: at least one test is wrong, and no more are right than wrong.
    /// - **Developing**: anything else that was begun: a step that introduces it was read, or a test was tried.
    #[must_use]
    pub fn by_rule(&self) -> Option<Standing> {
        let known: Vec<bool> = self.evidence.iter().filter_map(Test::counts).collect();
        let right = known.iter().filter(|right| **right).count();
        let wrong = known.len() - right;
        let (days, varied) = self.since();
        let is_begun = !known.is_empty()
            || self.evidence.iter().any(|test| test.answers.practised > 0)
            || self.steps.iter().any(|step| step.read)
            || self.evidence.iter().any(|t| t.answers.tries > 0);
        match (right, wrong) {
            _ if !is_begun => None,
            (_, 1..) if right <= wrong => Some(Standing::BlindSpot),
            (_, 0) if days >= 2 && varied => Some(Standing::Mastered),
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

/// The items of some lessons that are due, the longest due first. Sketched curves are excluded.
#[must_use]
pub fn due(lessons: &[Arc<Lesson>], story: &Story, now: i64) -> Vec<Item> {
    scheduled(lessons, story).into_iter().take_while(|(at, _)| *at <= now).map(|(_, item)| item).collect()
}

/// The items of some lessons that come back, each with the time at which it is due, in seconds since 1970; the first
/// one first.
#[must_use]
pub fn scheduled(lessons: &[Arc<Lesson>], story: &Story) -> Vec<(i64, Item)> {
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
    let mut found: Vec<(i64, &Item)> = answered.chain(fresh).filter(|(_, item)| is_there(item)).collect();
    found.sort();
    found.into_iter().map(|(at, item)| (at, item.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::learn::evidence::Since;
    use crate::session::learn::journal::{Did, Line};
    use crate::session::learn::predict::Guess;

    fn test(answers: Evidence) -> Test {
        let item = Item { lesson: "l".to_owned(), kind: ItemKind::Prediction, id: "p".to_owned() };
        Test { item, step: String::new(), answers }
    }

    fn standing(read: bool, evidence: &[Evidence]) -> Option<Standing> {
        let evidence = evidence.iter().map(|answers| test(*answers)).collect();
        let place = Place { lesson: String::new(), step: String::new(), title: String::new(), read };
        Concept { name: String::new(), standing: None, moved: None, steps: vec![place], evidence }.by_rule()
    }

    #[test]
    fn the_rule_puts_a_concept_where_its_answers_are() {
        use Standing::{BlindSpot, Developing, Mastered};
        let nothing = Evidence::default();
        let right = |days, varied| Evidence {
            last: Some(true),
            since: Since { days: Some(days), varied },
            ..Evidence::default()
        };
        let wrong = Evidence { last: Some(false), ..nothing };
        let tried = |tries| Evidence { tries, ..nothing };
        for (read, evidence, found) in [
            (false, &[nothing, nothing][..], None),
            (true, &[nothing, nothing], Some(Developing)),
            (false, &[tried(1)], Some(Developing)),
            (false, &[tried(3)], Some(BlindSpot)),
            (false, &[Evidence { practised: 1, ..nothing }], Some(Developing)),
            // One day, or the same numbers on two days, is not enough.
            (false, &[right([1, 1], true)], Some(Developing)),
            (false, &[right([1, 1], true), right([1, 1], false)], Some(Developing)),
            (false, &[right([1, 5], false)], Some(Developing)),
            (false, &[right([1, 5], true)], Some(Mastered)),
            (false, &[right([1, 1], false), right([5, 5], true), nothing], Some(Mastered)),
            (true, &[right([1, 5], true), wrong], Some(BlindSpot)),
            (true, &[right([1, 5], true), right([2, 2], true), wrong], Some(Developing)),
            (true, &[wrong], Some(BlindSpot)),
            (true, &[], Some(Developing)),
        ] {
            assert_eq!(standing(read, evidence), found, "{read} {evidence:?}");
        }
    }

    #[test]
    fn a_week_of_answers_is_quoted_rightly() {
        // A wrong answer on the page, the right one with the solution in sight, and in the review of the next day a wrong one and its repeat.
        let mut story = Story::default();
        let of = |right| Did::Predicted {
            id: "p".to_owned(),
            kind: "choices".to_owned(),
            params: BTreeMap::new(),
            guess: Guess::Choice(0),
            answer: Some(1.0),
            right: Some(right),
            off: None,
        };
        let asked = |right, set: &[(&str, f64)]| Did::Reviewed {
            kind: ItemKind::Prediction,
            id: "p".to_owned(),
            right,
            set: set.iter().map(|(id, value)| ((*id).to_owned(), *value)).collect(),
        };
        let day = 86_400;
        let mut take =
            |time, did| story.take(&Line { time: Some(time), lesson: "l".to_owned(), step: String::new(), did });
        take(10 * day, of(false));
        take(10 * day + 4, of(true));
        take(11 * day, asked(false, &[]));
        take(11 * day + 30, asked(true, &[]));
        take(13 * day, asked(true, &[("n", 2.0)]));
        let item = test(Evidence::default()).item;
        let answers = story.items[&item];
        assert_eq!((answers.graded, answers.right, answers.practised), (3, 1, 2));
        assert_eq!(standing(true, &[answers]), Some(Standing::Developing));
        assert_eq!(story.days["1970-01-12"].reviewed, (0, 1));
        story.take(&Line { time: Some(20 * day), lesson: "l".to_owned(), step: String::new(), did: asked(true, &[]) });
        assert_eq!(standing(true, &[story.items[&item]]), Some(Standing::Mastered));
    }

    #[test]
    fn an_answer_after_reading_on_without_one_is_practice() {
        let mut story = Story::default();
        let line = |time, did| Line { time: Some(time), lesson: "l".to_owned(), step: String::new(), did };
        story.take(&line(0, Did::Skipped { id: "p".to_owned() }));
        let guess = Guess::Number(1.0);
        let (id, kind, params) = ("p".to_owned(), "numbers".to_owned(), BTreeMap::new());
        story.take(&line(9, Did::Predicted { id, kind, params, guess, answer: None, right: Some(true), off: None }));
        let answers = story.items[&test(Evidence::default()).item];
        assert_eq!((answers.graded, answers.practised), (0, 1));
        assert!(story.calibration.is_empty() && answers.due().is_some());
    }

    #[test]
    fn predicted_times_are_judged_by_device_and_by_day() {
        let mut story = Story::default();
        let timed = |predicted_s, likely| Did::Timed {
            program: "copy".to_owned(),
            pass: "copy".to_owned(),
            device: "A device".to_owned(),
            predicted_s,
            measured_s: 1e-5,
            likely,
        };
        for (time, did) in [(0, timed(2e-5, true)), (9, timed(5e-6, false)), (86_400, timed(1e-5, true))] {
            story.take(&Line { time: Some(time), lesson: "l".to_owned(), step: "s".to_owned(), did });
        }
        let clock = &story.clocks["A device"];
        assert_eq!((clock.all.graded, clock.all.right, clock.days.len()), (3, 2, 2));
        assert_eq!(clock.days["1970-01-01"].factor(), Some(2.0));
        assert_eq!(clock.days["1970-01-02"].bias(), Some(1.0));
        assert!(story.calibration.is_empty());
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
        assert_eq!(story.calibration["numbers"].all.factor(), Some(2.0));
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
