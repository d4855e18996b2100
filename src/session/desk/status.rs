//! Running activities, messages, and whether the learner's work is on disk.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::event::Work;
use crate::base::diag::Diagnostic;

/// Activities, messages, and whether the learner's work is on disk.
#[derive(Debug, Default)]
pub struct Status {
    /// Running activities.
    pub activities: BTreeMap<Work, Activity>,
    /// Messages to the learner, newest last, until dismissed.
    pub notices: Vec<Notice>,
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

/// A message that stays until dismissed.
#[derive(Clone, Debug)]
pub enum Notice {
    /// Something went wrong.
    Problem(Diagnostic),
    /// Files were written.
    Wrote(Vec<PathBuf>),
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
