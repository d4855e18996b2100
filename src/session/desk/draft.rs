//! How far the learner's versions of kernels have come.

use std::time::Instant;

use crate::base::diag::Diagnostic;

/// How far a version of a kernel has come since its lesson was opened.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The last text of it that compiled.
    pub good: Option<String>,
    /// What is wrong with it now.
    pub problems: Vec<Diagnostic>,
    /// When a key was last pressed in it, until that was looked into.
    pub typed: Option<Instant>,
    /// Whether its text is being compiled.
    pub trying: bool,
}

impl Draft {
    /// Whether it is not yet known what is wrong with its text.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.trying || self.typed.is_some()
    }
}
