//! Review: a prediction is asked again with other parameters, and the tracer answers it at that moment.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::cards::Card;
use super::journal::{Item, hash};
use super::predict::{Answer, Asked, Grade, Guess};
use super::question;
use crate::base::diag::Diagnostic;
use crate::lesson::{AnswerDecl, AnswerKind, Exercise, Inline, Lesson, Prediction};
use crate::session::jobs;
use crate::session::run::devices::Devices;
use crate::trace::record::Backend;

/// A number that is asked for in place of options is right within this share of the answer.
const WITHIN: f64 = 0.1;

/// An option is the answer if it is this near to it, by ratio.
const NEAR: f64 = 0.05;

/// How many other settings are tried until one has another answer.
const TRIES: usize = 8;

/// Something to ask again.
#[derive(Clone)]
pub struct Again {
    pub item: Item,
    pub lesson: Arc<Lesson>,
    /// The card, if it is one.
    pub card: Option<Card>,
    /// How often it was answered before: each time the parameters are others.
    pub times: u32,
    /// Seed of the random inputs.
    pub seed: u64,
}

/// Something that is asked, with its answer.
#[derive(Clone, Debug)]
pub struct Prompt {
    pub item: Item,
    pub lesson: Arc<Lesson>,
    /// The parameters that are other than in the lesson, by id: from which value to which.
    pub set: BTreeMap<String, [f64; 2]>,
    pub ask: Ask,
}

#[derive(Clone, Debug)]
pub enum Ask {
    /// One of these options is the answer.
    Options(Vec<Inline>, Vec<(String, f64)>, String, Answer),
    /// A number, right within a share of the answer, in a unit.
    Number(Vec<Inline>, f64, String, Answer),
    /// A question that the learner grades: about times, which the tracer does not know. Then the explanation is shown.
    Own(Vec<Inline>, Vec<Inline>),
    /// A question in the learner's words.
    Card(Card),
    /// An exercise, from its starter.
    Exercise(String),
    /// It can no longer be asked: why.
    Gone(Vec<Diagnostic>),
}

impl Prompt {
    /// The prediction that is asked again; None for an exercise or a card.
    #[must_use]
    pub fn prediction(&self) -> Option<&Prediction> {
        self.lesson.predictions.iter().find(|asked| asked.id == self.item.id)
    }

    /// Whether a guess is right; None if it is not of the kind that is asked for.
    #[must_use]
    pub fn is_right(&self, guess: &Guess) -> Option<bool> {
        let grade = match (&self.ask, guess) {
            (Ask::Options(_, options, _, answer), Guess::Choice(choice)) => {
                return Some(answer.grade(options) == Grade::Nearest(*choice));
            }
            (Ask::Number(_, within, _, answer), Guess::Number(number)) => answer.grade_number(*number, *within),
            _ => return None,
        };
        Some(grade == Grade::Within(true))
    }
}

impl Again {
    /// Finds what to ask.
    #[must_use]
    pub fn prompt(self, devices: &Devices, cancel: &AtomicBool) -> Prompt {
        let (set, ask) = self.ask(devices, cancel);
        Prompt { item: self.item, lesson: self.lesson, set, ask }
    }

    fn ask(&self, devices: &Devices, cancel: &AtomicBool) -> (BTreeMap<String, [f64; 2]>, Ask) {
        let nothing = BTreeMap::new();
        if let Some(card) = &self.card {
            return (nothing, Ask::Card(card.clone()));
        }
        if let Some(Exercise { id, .. }) = self.lesson.exercises.iter().find(|exercise| exercise.id == self.item.id) {
            return (nothing, Ask::Exercise(id.clone()));
        }
        let Some(asked) = self.lesson.predictions.iter().find(|asked| asked.id == self.item.id) else {
            return (nothing, Ask::Gone(Vec::new()));
        };
        let Some(decl) = asked.answer().filter(|decl| decl.measured.is_none()) else {
            return (nothing, Ask::Own(question::text(&self.lesson, asked), asked.because.clone()));
        };
        let answer = |asked: &Prediction| {
            let params = jobs::defaults(&self.lesson);
            let asked = Asked {
                lesson: &self.lesson,
                prediction: asked,
                params: &params,
                seed: self.seed,
                bounds_checks: true,
            };
            asked.answer(devices, Backend::Simt, cancel)
        };
        let shuffled = |other: &Prediction, found: Answer| {
            shuffled(asked_for(&self.lesson, other, found), (&self.item, self.times))
        };
        let original = match answer(asked) {
            Ok(original) => original,
            Err(problems) => return (nothing, Ask::Gone(problems)),
        };
        for (id, from, to) in others(&self.lesson, asked, decl, self.times).into_iter().take(TRIES) {
            let other = with(asked, &id, to);
            // Settings that cannot run are none.
            let Ok(found) = answer(&other) else { continue };
            if is_other(&asked.asks, &original, &found) {
                return (BTreeMap::from([(id, [from, to])]), shuffled(&other, found));
            }
        }
        (nothing, shuffled(asked, original))
    }
}

/// The same question with its options in another order each time: a place that is remembered is no answer.
fn shuffled(mut ask: Ask, (item, times): (&Item, u32)) -> Ask {
    if let Ask::Options(_, options, ..) = &mut ask {
        options.sort_by_cached_key(|(label, _)| hash(&format!("{}/{}/{times}/{label}", item.lesson, item.id)));
    }
    ask
}

/// How a prediction with this answer is asked: with its options if one of them is the answer, else for a number.
fn asked_for(lesson: &Lesson, asked: &Prediction, answer: Answer) -> Ask {
    let question = question::text(lesson, asked);
    let near = |value: f64| answer.traced.is_some_and(|traced| (value / traced).ln().abs() <= NEAR);
    match &asked.asks {
        AnswerKind::Choice(options, decl) if options.iter().any(|(_, value)| near(*value)) => {
            Ask::Options(question, options.clone(), decl.unit.clone(), answer)
        }
        AnswerKind::Choice(_, decl) => Ask::Number(question, WITHIN, decl.unit.clone(), answer),
        AnswerKind::Number(within, decl) => Ask::Number(question, *within, decl.unit.clone(), answer),
        AnswerKind::Curve(_) => Ask::Own(question, asked.because.clone()),
    }
}

/// Whether other settings have an answer that is not right for the lesson's.
fn is_other(asks: &AnswerKind, original: &Answer, found: &Answer) -> bool {
    let (Some(was), Some(is)) = (original.traced, found.traced.filter(|is| is.is_finite())) else { return false };
    let within = match asks {
        AnswerKind::Number(within, _) => *within,
        AnswerKind::Choice(..) | AnswerKind::Curve(_) => WITHIN,
    };
    is > 0.0 && (is - was).abs() > within * was.abs().max(is.abs())
}

/// Other settings to ask at, each a parameter with its value and a near one of its domain. All probes that set the
/// parameter give it the same value. If another parameter has several values, such as the length of what every
/// sixteenth element is of, they may depend on one that not all probes set: that one stays. If the question says the
/// values of some, only these are other. Each time the list begins elsewhere. Values that make runs much longer are
/// left out.
fn others(lesson: &Lesson, asked: &Prediction, decl: &AnswerDecl, times: u32) -> Vec<(String, f64, f64)> {
    let mut found = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    let says_any = question::says_any(asked, decl);
    let values = |id: &str| -> Vec<f64> {
        let set = decl.probes.iter().flat_map(|probe| &probe.set).filter(|(other, _)| other == id);
        set.map(|(_, value)| *value).collect()
    };
    let is_same = |id: &str| values(id).windows(2).all(|pair| pair[0] == pair[1]);
    let all_same = decl.probes.iter().flat_map(|probe| &probe.set).all(|(id, _)| is_same(id));
    let all = || decl.probes.iter().flat_map(|probe| &probe.set);
    // One that differs between the probes and has this value in one of them, such as one element more than a run, was made from it.
    let is_copied = |from: f64| all().any(|(other, value)| *value == from && !is_same(other));
    for (id, from) in all() {
        let is_free = is_same(id) && !is_copied(*from) && (all_same || values(id).len() == decl.probes.len());
        let is_free = is_free && (!says_any || question::says(asked, id));
        if seen.contains(&id.as_str()) || !is_free {
            continue;
        }
        seen.push(id);
        let Some(param) = lesson.param(id) else { continue };
        let at = param.domain.index_of(*from);
        let beside = [at.checked_sub(1), at.checked_add(1)].into_iter().flatten();
        let beside = beside.filter_map(|index| param.domain.nth(index));
        let scaled = [0.5, 2.0, 0.25, 4.0].map(|by| param.domain.clamp(from * by));
        let mut values: Vec<f64> = Vec::new();
        for value in scaled.into_iter().chain(beside) {
            if value != *from && value <= 4.0 * from.abs().max(1.0) && !values.contains(&value) {
                values.push(value);
            }
        }
        found.extend(values.into_iter().map(|to| (id.clone(), *from, to)));
    }
    if !found.is_empty() {
        let first = times as usize % found.len();
        found.rotate_left(first);
    }
    found
}

/// The prediction with a parameter at another value in the probes that set it.
fn with(asked: &Prediction, id: &str, to: f64) -> Prediction {
    let mut other = asked.clone();
    if let AnswerKind::Choice(_, decl) | AnswerKind::Number(_, decl) = &mut other.asks {
        let settings = decl.probes.iter_mut().flat_map(|probe| &mut probe.set);
        settings.filter(|(name, _)| name == id).for_each(|(_, value)| *value = to);
    }
    other
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::PackFiles;
    use crate::session::learn::journal::ItemKind;

    #[test]
    fn options_come_in_another_order_each_time() {
        let options: Vec<(String, f64)> = (1..=4).map(|i| (format!("option {i}"), f64::from(i))).collect();
        let item = Item { lesson: "l".to_owned(), kind: ItemKind::Prediction, id: "p".to_owned() };
        let orders = (0..8).map(|times| {
            let ask = Ask::Options(Vec::new(), options.clone(), String::new(), Answer::default());
            let Ask::Options(_, order, ..) = shuffled(ask, (&item, times)) else { panic!("no options") };
            let mut sorted = order.clone();
            sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
            assert_eq!(sorted, options);
            order.into_iter().map(|(label, _)| label).collect::<Vec<_>>()
        });
        let mut orders: Vec<_> = orders.collect();
        orders.sort();
        orders.dedup();
        assert!(orders.len() >= 4, "{orders:?}");
    }

    #[test]
    fn what_depends_on_another_setting_is_not_turned_alone() {
        let (pack, _) = crate::session::load(&PackFiles::Embedded);
        let asked = pack.lessons.iter().flat_map(|lesson| lesson.predictions.iter().map(move |asked| (lesson, asked)));
        // A warp has one element more than a run.
        let (lesson, one_lane) = asked.clone().find(|(_, asked)| asked.id == "one_lane").expect("a question");
        let runs = others(lesson, one_lane, one_lane.answer().expect("an answer"), 0);
        assert!(runs.iter().all(|(id, ..)| id != "run"), "{runs:?}");
        // Every 16th element of an array has a sixteenth of its elements.
        let (lesson, asked) = asked.into_iter().find(|(_, asked)| asked.id == "every_16th").expect("a question");
        let decl = asked.answer().expect("an answer");
        assert!(
            decl.probes.len() == 2 && others(lesson, asked, decl, 0).is_empty(),
            "{:?}",
            others(lesson, asked, decl, 0)
        );
        // Another number of elements in all probes is another question.
        let mut same = decl.clone();
        same.probes.iter_mut().for_each(|probe| probe.set.retain(|(id, _)| id != "stride"));
        same.probes.iter_mut().flat_map(|probe| &mut probe.set).for_each(|(_, value)| *value = 1024.0);
        assert!(others(lesson, asked, &same, 0).iter().any(|(id, ..)| id == "n"));
    }
}
