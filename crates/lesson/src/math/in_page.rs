//! The formulas of a page that plays: it draws none, and its lessons were checked before.

use super::MathSvg;
use crate::base::diag::Diagnostic;

/// Where a formula is no LaTeX: never.
#[must_use]
pub fn mistake(_: &str) -> Option<(usize, String)> {
    None
}

/// Whether a formula can be drawn.
///
/// # Errors
/// Never.
pub fn check(_: &str, _: bool) -> Result<(), Diagnostic> {
    Ok(())
}

/// A formula as a picture.
///
/// # Errors
/// Always.
pub fn svg(_: &str, _: bool, _: f32, _: &str) -> Result<MathSvg, Diagnostic> {
    Err(Diagnostic::error("a page draws no formulas"))
}
