//! A build without the feature `pdf`: it writes no PDF, and says so.

use std::path::Path;

use super::report::Report;

/// Writes nothing.
///
/// # Errors
/// Always: why, and what to do.
pub(super) fn render(_: &Report) -> Result<Vec<u8>, String> {
    Err("this build has no PDF: build it with the feature `pdf`, or write HTML and print it".to_owned())
}

/// Whether a file is a PDF that this program wrote: it is not known here.
pub(super) fn is_ours(_: &Path) -> bool {
    false
}
