//! Compile state of the learner's versions of kernels.

use std::time::Instant;

use crate::base::diag::Diagnostic;

/// The compile state of a version of a kernel since its lesson was opened.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The last text of it that compiled.
    pub good: Option<String>,
    /// Its current errors.
    pub problems: Vec<Diagnostic>,
    /// When a key was last pressed in it; None once the change has been tried.
    pub typed: Option<Instant>,
    /// Whether its text is being compiled.
    pub trying: bool,
}

impl Draft {
    /// Whether its text's errors are not yet known.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.trying || self.typed.is_some()
    }
}
