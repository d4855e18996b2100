//! Formulas for elements: evaluated in f64, over parameters, elements of buffers, and the elements before that they give themselves.

use rayon::prelude::*;

use super::compare::{Outcome, Worst};
use crate::base::diag::Diagnostic;
use crate::base::expr::{EvalError, Scope};
use crate::base::tensor::Tensor;
use crate::job::Formula;

/// Elements up to which a formula that adds something up for each of them is evaluated for all.
const MOST_SUMS: usize = 4096;

/// Terms that all sums of a check may come to, about: some seconds.
const MOST_TERMS: f64 = (1u64 << 27) as f64;

/// Elements that one task evaluates.
const CHUNK: usize = 1 << 12;

/// What a formula's names stand for.
pub(super) struct Around<'a> {
    formula: &'a Formula,
    buffers: Vec<(&'a str, &'a Tensor)>,
    round: f64,
    /// The buffer whose elements are those that the formula gives.
    own: Option<&'a str>,
}

impl<'a> Around<'a> {
    /// Of a formula whose buffers `content` gives.
    #[expect(clippy::cast_precision_loss, reason = "a count of rounds")]
    pub fn new(
        formula: &'a Formula,
        content: &dyn Fn(usize, bool) -> Result<&'a Tensor, Diagnostic>,
        round: u64,
    ) -> Result<Self, Diagnostic> {
        let buffers =
            formula.buffers.iter().map(|(name, buffer, before)| Ok((name.as_str(), content(*buffer, *before)?)));
        Ok(Self { formula, buffers: buffers.collect::<Result<_, Diagnostic>>()?, round: round as f64, own: None })
    }

    /// Elements of the buffer `name` are those that the formula has given so far, and not those that are there.
    pub fn expected_of(&mut self, name: &'a str) {
        self.own = Some(name);
    }

    /// How many elements it speaks of.
    pub fn count(&self) -> usize {
        usize::try_from(self.formula.count).unwrap_or(usize::MAX)
    }

    /// The formula's value for element `i`, after it has given those in `given`.
    pub fn value(&self, i: usize, given: &[f64]) -> Result<f64, Diagnostic> {
        self.formula.expr.eval(&Element { around: self, i, given }).map_err(|why| {
            let source = self.formula.expr.source();
            Diagnostic::error(format!("the formula `{source}` has no value for element {i}: {why}"))
                .hint("guard it with if(…), which evaluates only the side that it takes; or give the check a `count`")
        })
    }

    /// Whether it builds on what it has given before.
    fn recurs(&self) -> bool {
        self.formula.expr.buffers().iter().any(|(name, _)| Some(*name) == self.own)
    }
}

/// A formula's names for one element.
struct Element<'a> {
    around: &'a Around<'a>,
    i: usize,
    given: &'a [f64],
}

impl Scope for Element<'_> {
    #[expect(clippy::cast_precision_loss, reason = "an index into memory")]
    fn get(&self, name: &str) -> Result<f64, EvalError> {
        match name {
            "i" => Ok(self.i as f64),
            "round" => Ok(self.around.round),
            _ => {
                let known = self.around.formula.names.iter().find(|(known, _)| known == name);
                known.map(|(_, value)| *value).ok_or_else(|| EvalError::Missing(name.to_owned()))
            }
        }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and not negative")]
    fn element(&self, name: &str, index: f64) -> Result<f64, EvalError> {
        let none = || EvalError::NoElement(name.to_owned(), index);
        if index.fract() != 0.0 || index < 0.0 {
            return Err(none());
        }
        let at = index as usize;
        if self.around.own == Some(name) {
            return self.given.get(at).copied().ok_or_else(none);
        }
        let known = self.around.buffers.iter().find(|(known, _)| *known == name);
        let (_, tensor) = known.ok_or_else(|| EvalError::Missing(name.to_owned()))?;
        if at < tensor.len() { Ok(tensor.get(at)) } else { Err(none()) }
    }
}

/// Compares the elements of `output` with what the formula gives. Of a formula that adds something up for each of very many elements, some are
/// compared: [`Outcome::elements`] says how many.
///
/// # Errors
/// Where it has no value for an element.
pub(super) fn compare(
    around: &Around<'_>,
    output: &Tensor,
    (tolerance, scale): (f64, f64),
) -> Result<Outcome, Diagnostic> {
    let total = around.count();
    let mut worst = Worst::default();
    if around.recurs() {
        let mut given = Vec::new();
        for i in 0..total {
            let value = around.value(i, &given)?;
            worst.see(i, output.get(i), value, scale, tolerance);
            given.push(value);
        }
        return Ok(Outcome { worst, elements: total, total, told: None });
    }
    let chosen = chosen(around, total);
    let parts = chosen.par_chunks(CHUNK).map(|part| {
        let mut worst = Worst::default();
        for i in part {
            worst.see(*i, output.get(*i), around.value(*i, &[])?, scale, tolerance);
        }
        Ok::<Worst, Diagnostic>(worst)
    });
    let worst = parts.try_reduce(Worst::default, |a, b| Ok(a.join(b)))?;
    Ok(Outcome { worst, elements: chosen.len(), total, told: None })
}

/// The elements that are evaluated: all, or some at even distances with the first and the last.
pub(super) fn chosen(around: &Around<'_>, total: usize) -> Vec<usize> {
    let sums = around.formula.expr.source().contains(crate::base::expr::SUM);
    if !sums || total < 2 {
        return (0..total).collect();
    }
    // The last element's sums are mostly the longest.
    let last = Element { around, i: total.saturating_sub(1), given: &[] };
    let terms = around.formula.expr.eval_and_count(&last).map_or(1.0, |(_, terms)| terms.max(1.0));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most as many as there are")]
    let most = ((MOST_TERMS / terms) as usize).clamp(2, MOST_SUMS).min(total);
    let mut chosen: Vec<usize> = (0..most).map(|k| k * (total - 1) / (most - 1).max(1)).collect();
    chosen.dedup();
    chosen
}
