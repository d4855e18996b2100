//! The learner's answers to one item: which count, and since when they are right.

use serde::Serialize;

use super::fsrs::{Memory, Rating};

/// Seconds in a day.
pub const DAY: f64 = 86_400.0;

/// For these seconds after an answer, the solution counts as in sight.
const IN_SIGHT: i64 = 3600;

/// The answers to an item. An answer counts if the solution was not in sight: the first one on a page, and the first
/// one in each review. Others are practice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Evidence {
    /// Answers that count.
    pub graded: u32,
    /// Right answers that count.
    pub right: u32,
    /// Answers that were given with the solution in sight.
    pub practised: u32,
    /// Tries of an exercise that did not solve it.
    pub tries: u32,
    /// Whether the last answer that counts was right; None before the first.
    pub last: Option<bool>,
    /// When the last answer was; None for before there was a journal.
    pub time: Option<i64>,
    /// Whether the learner read on without an answer.
    pub skipped: bool,
    /// The right answers since the last wrong one.
    pub since: Since,
    pub memory: Option<Memory>,
}

/// Right answers in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Since {
    /// The days of the first and the last right answer, in days since 1970; None without one. All answers without a
    /// time are of one day.
    pub days: Option<[i64; 2]>,
    /// Whether one of them was asked with other numbers than in the lesson, or was a kernel that was written.
    pub varied: bool,
}

/// How an answer was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// When, in seconds since 1970.
    pub time: Option<i64>,
    /// Whether it was asked with other numbers than in the lesson, or is a kernel.
    pub varied: bool,
}

impl Evidence {
    /// Takes an answer; if the solution is in sight, as practice. Returns whether it counts.
    pub fn take(&mut self, right: bool, given: Given) -> bool {
        let since = given.time.zip(self.time).map(|(now, before)| now.saturating_sub(before));
        if since.is_some_and(|since| (0..IN_SIGHT).contains(&since)) {
            self.practise(given.time);
            return false;
        }
        self.graded += 1;
        self.right += u32::from(right);
        self.last = Some(right);
        self.since.take(right, given);
        let rating = Rating::of(right);
        self.memory = Some(match self.memory {
            None => Memory::first(rating),
            Some(memory) => memory.after(days(self.time, given.time), rating),
        });
        self.seen(given.time);
        true
    }

    /// Takes an answer that was given with the solution in sight. It does not count; an item without one that counts
    /// comes back as a wrong one does.
    pub fn practise(&mut self, time: Option<i64>) {
        self.practised += 1;
        self.memory.get_or_insert_with(|| Memory::first(Rating::of(false)));
        self.seen(time);
    }

    /// A clock that was set back does not make an answer older than the one before.
    fn seen(&mut self, time: Option<i64>) {
        self.time = self.time.max(time);
    }

    /// When to ask again, in seconds since 1970; None before there was an answer.
    #[must_use]
    pub fn due(&self) -> Option<i64> {
        let memory = self.memory?;
        #[expect(clippy::cast_possible_truncation, reason = "at most a hundred years of seconds")]
        let wait = (memory.stability * DAY) as i64;
        // Answers from before there was a journal are due now.
        Some(self.time.map_or(i64::MIN, |time| time.saturating_add(wait)))
    }
}

impl Since {
    fn take(&mut self, right: bool, given: Given) {
        if !right {
            *self = Self::default();
            return;
        }
        let day = given.time.map_or(i64::MIN, |time| time.div_euclid(86_400));
        let [first, last] = self.days.unwrap_or([day; 2]);
        *self = Self { days: Some([first.min(day), last.max(day)]), varied: self.varied || given.varied };
    }
}

/// Days between two times; 0 if one is unknown or the clock was set back.
#[expect(clippy::cast_precision_loss, reason = "days, to be rounded")]
fn days(from: Option<i64>, to: Option<i64>) -> f64 {
    from.zip(to).map_or(0.0, |(from, to)| to.saturating_sub(from) as f64 / DAY).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(day: i64) -> Given {
        Given { time: Some(day * 86_400), varied: false }
    }

    #[test]
    fn an_answer_with_the_solution_in_sight_is_practice() {
        let mut answers = Evidence::default();
        assert!(answers.take(false, on(10)));
        // Half a minute after the solution was shown.
        assert!(!answers.take(true, Given { time: Some(10 * 86_400 + 30), varied: true }));
        assert_eq!((answers.graded, answers.right, answers.practised), (1, 0, 1));
        assert_eq!((answers.last, answers.since), (Some(false), Since::default()));
        assert!(answers.take(true, on(11)));
        assert_eq!((answers.graded, answers.right, answers.since.days), (2, 1, Some([11, 11])));
    }

    #[test]
    fn a_wrong_answer_begins_the_row_again() {
        let mut answers = Evidence::default();
        answers.take(true, Given { varied: true, ..on(1) });
        answers.take(true, on(5));
        assert_eq!(answers.since, Since { days: Some([1, 5]), varied: true });
        answers.take(false, on(9));
        answers.take(true, on(10));
        assert_eq!(answers.since, Since { days: Some([10, 10]), varied: false });
    }

    #[test]
    fn what_was_only_practised_comes_back() {
        let mut answers = Evidence::default();
        assert_eq!(answers.due(), None);
        answers.practise(Some(0));
        assert!(answers.due().is_some_and(|due| due > 0 && due < 3 * 86_400), "{:?}", answers.due());
        assert_eq!((answers.graded, answers.last), (0, None));
    }
}
