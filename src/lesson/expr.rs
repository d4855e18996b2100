//! Expressions over parameters and results, as a lesson writes them.

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    source: String,
}

impl Expr {
    /// The expression as it was written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }
}
