//! The device of a page that plays: there is none.

use super::backend::Failure;
use super::driver::Work;
use super::fake::Fake;
use crate::base::diag::Diagnostic;

pub(super) fn open() -> Result<Fake, Diagnostic> {
    Err(missing())
}

pub(super) fn with_device<W: Work>(_: W) -> Result<W::Output, Failure> {
    Err(missing().into())
}

fn missing() -> Diagnostic {
    Diagnostic::error("a page reaches no device")
}
