//! The fold of the journal: what was answered, read and written, by item and by day. Its size depends on what there is
//! to learn, and on the days, not on the number of lines.

use std::collections::BTreeMap;

use serde::Serialize;

use super::calibration::Calibrated;
use super::cards::{self, Card};
use super::evidence::{Evidence, Given};
use super::journal::{Did, Item, ItemKind, Line, Standing};
use crate::base::day;

/// Figures of a kernel by name: before a change, and after it.
pub type Figures = BTreeMap<String, [Option<f64>; 2]>;

/// All that follows from the journal.
#[derive(Clone, Debug, Default)]
pub struct Story {
    /// By item: what the learner's answers were.
    pub items: BTreeMap<Item, Evidence>,
    /// Concepts that were moved by hand.
    pub moved: BTreeMap<String, Moved>,
    /// By day, as YYYY-MM-DD; what was done before there was a journal is not in it.
    pub days: BTreeMap<String, Day>,
    /// Guesses against answers, by kind of question.
    pub calibration: BTreeMap<String, Calibrated>,
    /// Predicted times against those that were measured after them, by device.
    pub clocks: BTreeMap<String, Calibrated>,
    /// Seconds of reading, by lesson and step.
    pub read: BTreeMap<(String, String), u64>,
    /// The words, by lesson and step.
    pub words: BTreeMap<(String, String), String>,
    /// Questions in the words.
    pub cards: BTreeMap<Item, Card>,
    /// The hash of the text that a version of a kernel had last, by lesson and the version's name.
    pub versions: BTreeMap<(String, String), String>,
}

/// A concept that was moved by hand.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moved {
    /// Where to.
    pub to: Standing,
    pub why: String,
    /// When.
    pub time: Option<i64>,
}

/// The work of a day.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Day {
    /// Seconds of reading.
    pub seconds: u64,
    /// Steps that were read, by lesson and step.
    pub read: BTreeMap<String, u64>,
    /// Predictions, by lesson and id: whether each was right.
    pub predicted: BTreeMap<String, Option<bool>>,
    /// Exercises that were tried, by lesson and id: how often in vain.
    pub tried: BTreeMap<String, u32>,
    /// Exercises that were solved, by lesson and id: how many hints were open.
    pub solved: BTreeMap<String, usize>,
    /// Kernels that were changed, by lesson and name: the figures that differ, before and after, and whether the result
    /// is wrong.
    pub changed: BTreeMap<String, (Figures, bool)>,
    /// Experiments that were measured, by lesson and id: on which device.
    pub measured: BTreeMap<String, String>,
    /// Reviews: how many were right, and how many there were.
    pub reviewed: (u32, u32),
    /// Words that were written, by lesson and step.
    pub words: BTreeMap<String, String>,
    /// Concepts that were moved by hand, with the reasons.
    pub moved: BTreeMap<String, String>,
}

impl Story {
    pub fn take(&mut self, line: &Line) {
        let Line { time, lesson, step, did } = line;
        let of = |id: &str| format!("{lesson}/{id}");
        let item = |kind, id: &str| Item { lesson: lesson.clone(), kind, id: id.to_owned() };
        let mut unseen = Day::default();
        let day = match time {
            Some(time) => self.days.entry(day::of(*time)).or_default(),
            None => &mut unseen,
        };
        match did {
            Did::Read { seconds } => {
                day.seconds = day.seconds.saturating_add(*seconds);
                let all = [
                    day.read.entry(of(step)).or_default(),
                    self.read.entry((lesson.clone(), step.clone())).or_default(),
                ];
                all.into_iter().for_each(|sum| *sum = sum.saturating_add(*seconds));
            }
            Did::Predicted { id, kind, right, off, .. } => {
                // Once the answer was in sight, giving it is no prediction.
                let evidence = self.items.entry(item(ItemKind::Prediction, id)).or_default();
                if evidence.graded > 0 || evidence.skipped {
                    evidence.practise(*time);
                } else {
                    day.predicted.insert(of(id), *right);
                    self.calibration.entry(kind.clone()).or_default().take(time.map(day::of), *right, *off);
                    if let Some(right) = right {
                        evidence.take(*right, Given { time: *time, varied: false });
                    }
                }
            }
            Did::Skipped { id } => {
                let evidence = self.items.entry(item(ItemKind::Prediction, id)).or_default();
                evidence.skipped = true;
            }
            Did::Tried { id, .. } => {
                *day.tried.entry(of(id)).or_default() += 1;
                self.items.entry(item(ItemKind::Exercise, id)).or_default().tries += 1;
            }
            Did::Solved { id, hints, shown } => {
                day.solved.insert(of(id), *hints);
                let evidence = self.items.entry(item(ItemKind::Exercise, id)).or_default();
                if *shown {
                    evidence.practise(*time);
                } else {
                    evidence.take(true, Given { time: *time, varied: true });
                }
            }
            Did::Changed { kernel, to, figures, wrong, .. } => {
                self.versions.insert((lesson.clone(), kernel.clone()), to.clone());
                day.changed.insert(of(kernel), (figures.clone(), *wrong));
            }
            Did::Measured { id, device } => {
                day.measured.insert(of(id), device.clone());
            }
            Did::Timed { device, likely, predicted_s, measured_s, .. } => {
                let clock = self.clocks.entry(device.clone()).or_default();
                clock.take(time.map(day::of), Some(*likely), Some(predicted_s / measured_s));
            }
            Did::Wrote { words } => {
                day.words.insert(of(step), words.clone());
                cards::take(&mut self.cards, (lesson, step), words, *time);
                self.words.insert((lesson.clone(), step.clone()), words.clone());
            }
            Did::Reviewed { kind, id, right, set } => {
                let given = Given { time: *time, varied: !set.is_empty() };
                if self.items.entry(item(*kind, id)).or_default().take(*right, given) {
                    day.reviewed.0 += u32::from(*right);
                    day.reviewed.1 += 1;
                }
            }
            Did::Moved { concept, to, why } => {
                day.moved.insert(concept.clone(), why.clone());
                match to {
                    Some(to) => {
                        drop(self.moved.insert(concept.clone(), Moved { to: *to, why: why.clone(), time: *time }))
                    }
                    None => drop(self.moved.remove(concept)),
                }
            }
        }
    }

    /// The last day before `today` on which something was done.
    #[must_use]
    pub fn day_before(&self, today: &str) -> Option<(&String, &Day)> {
        self.days.range(..today.to_owned()).next_back()
    }
}
