//! Evaluates a lesson's expressions to numbers; errors carry their place in the lesson.

use super::Params;
use crate::base::diag::{self, Diagnostic};
use crate::base::expr::Expr;
use crate::base::units::Work;
use crate::lesson::scope::Env;
use crate::lesson::{Lesson, Program, WorkDecl};

/// The owner of a figure, and its place in the lesson.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub owner: &'a str,
    pub place: &'a diag::Place,
}

impl<'a> Place<'a> {
    pub fn of(program: &'a Program) -> Self {
        Self { owner: &program.id, place: &program.place }
    }

    pub fn error(self, message: impl Into<String>) -> Diagnostic {
        Diagnostic { place: Some(self.place.clone()), ..Diagnostic::error(message) }
    }
}

/// Expressions at some parameters.
pub(super) struct Evaluator<'a> {
    pub env: Env<'a>,
}

impl<'a> Evaluator<'a> {
    pub fn new(lesson: &'a Lesson, params: &'a Params) -> Self {
        Self { env: Env::fixed(&lesson.params, &lesson.values, params) }
    }

    fn problem(expr: &Expr, at: Place<'_>, what: &str, why: &str) -> Vec<Diagnostic> {
        let message = format!("{what} of `{}` is `{}`, which {why}", at.owner, expr.source());
        vec![at.error(message).hint("change the expression, or a parameter that it uses")]
    }

    pub fn number(&self, expr: &Expr, at: Place<'_>, what: &str) -> Result<f64, Vec<Diagnostic>> {
        self.env.eval(expr).map_err(|error| Self::problem(expr, at, what, &format!("has no value: {error}")))
    }

    pub fn named(&self, exprs: &[(String, Expr)], at: Place<'_>) -> Result<Vec<(String, f64)>, Vec<Diagnostic>> {
        exprs.iter().map(|(name, expr)| Ok((name.clone(), self.number(expr, at, &format!("`{name}`"))?))).collect()
    }

    pub fn work(&self, work: &WorkDecl, at: Place<'_>) -> Result<Work, Vec<Diagnostic>> {
        Ok(Work { bytes: self.number(&work.bytes, at, "bytes")?, flops: self.number(&work.flops, at, "flops")? })
    }

    /// A whole number of at least `least`.
    pub fn at_least(&self, least: u64, expr: &Expr, at: Place<'_>, what: &str) -> Result<u64, Vec<Diagnostic>> {
        self.env.whole(expr, least).map_err(|error| Self::problem(expr, at, what, &format!("is of no use: {error}")))
    }

    /// A count: a whole number, at least 1.
    pub fn whole(&self, expr: &Expr, at: Place<'_>, what: &str) -> Result<u64, Vec<Diagnostic>> {
        self.at_least(1, expr, at, what)
    }

    /// As [`Evaluator::at_least`], but must fit 32 bits.
    pub fn size(&self, least: u64, expr: &Expr, at: Place<'_>, what: &str) -> Result<u32, Vec<Diagnostic>> {
        u32::try_from(self.at_least(least, expr, at, what)?).map_err(|_| Self::problem(expr, at, what, "exceeds 2³²"))
    }

    pub fn sizes(&self, exprs: &[Expr; 3], at: Place<'_>, what: &str) -> Result<[u32; 3], Vec<Diagnostic>> {
        let [x, y, z] = exprs;
        Ok([self.size(1, x, at, what)?, self.size(1, y, at, what)?, self.size(1, z, at, what)?])
    }
}
