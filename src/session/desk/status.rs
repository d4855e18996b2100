//! Running activities, messages, and whether the learner's work is on disk.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::PathBuf;

use super::event::Work;
use crate::base::diag::Diagnostic;

/// Activities, messages, and whether the learner's work is on disk.
#[derive(Debug, Default)]
pub struct Status {
    /// Running activities.
    pub activities: BTreeMap<Work, Activity>,
    /// Messages to the learner.
    pub notices: Notices,
    /// Whether the saved state is on disk.
    pub save: SaveState,
    /// Why the last write failed, until one succeeds; or why there can be none.
    pub unsaved: Option<Diagnostic>,
}

/// Something that takes time.
#[derive(Clone, Debug, PartialEq)]
pub struct Activity {
    /// Its label in the status line.
    pub label: String,
    /// Steps done and steps in all; None if unknown.
    pub progress: Option<(usize, usize)>,
}

/// The most messages that are kept.
const MOST_NOTICES: usize = 50;

/// Messages until dismissed, newest last: each once, and not more than [`MOST_NOTICES`].
#[derive(Debug, Default)]
pub struct Notices(Vec<Notice>);

impl Notices {
    pub(super) fn push(&mut self, notice: Notice) {
        self.0.retain(|known| *known != notice);
        self.0.push(notice);
        self.0.drain(..self.0.len().saturating_sub(MOST_NOTICES));
    }

    /// Removes the message at `index`, if it is still there.
    pub(super) fn dismiss(&mut self, index: usize) {
        if index < self.0.len() {
            self.0.remove(index);
        }
    }
}

impl Extend<Notice> for Notices {
    fn extend<I: IntoIterator<Item = Notice>>(&mut self, notices: I) {
        notices.into_iter().for_each(|notice| self.push(notice));
    }
}

impl Deref for Notices {
    type Target = [Notice];

    fn deref(&self) -> &[Notice] {
        &self.0
    }
}

/// A message that stays until dismissed.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// Something went wrong.
    Problem(Diagnostic),
    /// Files were written.
    Wrote(Vec<PathBuf>),
    /// A launch was written into this file of a kernel.
    Kept(PathBuf),
}

/// Whether the learner's work is on disk.
#[derive(Clone, Debug, Default)]
pub enum SaveState {
    /// It is.
    #[default]
    Saved,
    /// Not yet.
    Unsaved,
    /// A write is under way.
    Saving,
    /// It could not be written.
    Failed(Diagnostic),
    /// There is no folder to save it in.
    Nowhere,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(number: usize) -> Notice {
        Notice::Problem(Diagnostic::error(format!("problem {number}")))
    }

    #[test]
    fn the_newest_messages_are_kept_each_once() {
        let mut notices = Notices::default();
        notices.extend((0..3).map(problem));
        notices.push(problem(1));
        assert_eq!(*notices, [problem(0), problem(2), problem(1)]);
        notices.extend((0..10 * MOST_NOTICES).map(problem));
        assert_eq!(notices.len(), MOST_NOTICES);
        assert_eq!(notices.last(), Some(&problem(10 * MOST_NOTICES - 1)));
        notices.dismiss(MOST_NOTICES);
        notices.dismiss(0);
        assert_eq!(notices.len(), MOST_NOTICES - 1);
    }
}
