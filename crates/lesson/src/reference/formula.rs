//! Formulas for elements: evaluated in f64, over parameters, elements of buffers, and their own earlier elements.

use rayon::prelude::*;

use super::compare::{Outcome, Worst};
use crate::base::diag::Diagnostic;
use crate::base::expr::{EvalError, Scope};
use crate::base::tensor::Tensor;
use crate::base::units::number;
use crate::job::Formula;

/// The maximum number of elements for which a formula with sums is evaluated.
const MOST_SUMS: usize = 4096;

/// The approximate number of terms that all sums of a check may have: some seconds.
const MOST_TERMS: f64 = (1u64 << 27) as f64;

/// The divisor of the terms left to all checks of a run: one check takes at most such a part, if fewer elements can be
/// compared.
const PART: f64 = 64.0;

/// The number of terms that the sums of all checks of a run may have: some minutes on one core.
pub const TERMS: f64 = PART * MOST_TERMS;

/// Elements between two checks of the allowance, and elements of one task: fewer if each has a sum.
const BLOCK: usize = 1 << 18;
const CHUNK: usize = 1 << 12;
const BLOCK_OF_SUMS: usize = 64;
const CHUNK_OF_SUMS: usize = 4;

/// The remaining cost allowed for checks.
pub struct Allowance<'a> {
    /// Terms of sums; all checks of a run share [`TERMS`].
    pub terms: &'a mut f64,
    /// True once nothing waits for the check any more.
    pub cancelled: &'a dyn Fn() -> bool,
}

impl Allowance<'_> {
    /// Terms for one check, which may run after each round.
    fn of_one(&self) -> f64 {
        *self.terms / PART
    }

    /// Subtracts the cost of some elements.
    fn take(&mut self, terms: f64) -> Result<(), Stop> {
        *self.terms -= terms;
        if (self.cancelled)() {
            return Err(Stop::Over(Diagnostic::error("the check was cancelled")));
        }
        if *self.terms < 0.0 { Err(too_long("all checks of a run", TERMS)) } else { Ok(()) }
    }
}

fn too_long(what: &str, most: f64) -> Stop {
    let message = format!("the sums of {what} come to more than {} terms", number(most));
    let hint = "add up less for each element, give the check a `count`, or make it after fewer rounds";
    Stop::Over(Diagnostic::error(message).hint(hint))
}

/// The reason that a check has no result.
#[derive(Debug)]
pub(super) enum Stop {
    /// The formula has no value for an element; `of_result` if that is because an element that it takes is not finite.
    NoValue {
        /// The message.
        problem: Diagnostic,
        of_result: bool,
    },
    /// It was cancelled, or takes too long.
    Over(Diagnostic),
}

impl From<Stop> for Diagnostic {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::NoValue { problem, .. } | Stop::Over(problem) => problem,
        }
    }
}

/// The values of a formula's names.
pub(super) struct Around<'a> {
    formula: &'a Formula,
    buffers: Vec<(&'a str, &'a Tensor)>,
    round: f64,
    /// The buffer whose elements are the ones computed by the formula.
    own: Option<&'a str>,
}

impl<'a> Around<'a> {
    /// For a formula whose buffers `content` gives.
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

    /// Makes elements of the buffer `name` those that the formula has computed so far, not the actual ones.
    pub fn expected_of(&mut self, name: &'a str) {
        self.own = Some(name);
    }

    /// The number of elements that it covers.
    pub fn count(&self) -> usize {
        usize::try_from(self.formula.count).unwrap_or(usize::MAX)
    }

    /// The formula's value for element `i`, given its earlier values in `given`; and the number of terms that it
    /// summed.
    pub fn value(&self, i: usize, given: &[f64]) -> Result<(f64, f64), Stop> {
        self.formula.expr.eval_and_count(&Element { around: self, i, given }).map_err(|why| {
            let source = self.formula.expr.source();
            let message = format!("the formula `{source}` has no value for element {i}: {why}");
            let hint = "guard it with if(…), which evaluates only the side that it takes; or give the check a `count`";
            let of_result = matches!(why, EvalError::ElementNotFinite(_));
            Stop::NoValue { problem: Diagnostic::error(message).hint(hint), of_result }
        })
    }

    /// Whether it has a sum for each element.
    fn has_sums(&self) -> bool {
        self.formula.expr.source().contains(crate::base::expr::SUM)
    }

    /// Calls `see` with the values of all elements in order, until it returns false. No elements can be skipped, so
    /// sums are bounded here.
    pub fn in_turn(&self, allowance: &mut Allowance<'_>, see: &mut dyn FnMut(usize, f64) -> bool) -> Result<(), Stop> {
        let (mut given, mut all, most) = (Vec::new(), 0.0, allowance.of_one());
        for i in 0..self.count() {
            let (value, terms) = self.value(i, &given)?;
            allowance.take(terms)?;
            all += terms;
            if all > most {
                return Err(too_long("this check", most));
            }
            if !see(i, value) {
                break;
            }
            given.push(value);
        }
        Ok(())
    }

    /// Folds the values of some elements with `see` and `join`, in parallel.
    pub fn find<T: Clone + Send + Sync>(
        &self,
        elements: &[usize],
        allowance: &mut Allowance<'_>,
        nothing: &T,
        see: &(dyn Fn(&mut T, usize, f64) + Sync),
        join: fn(T, T) -> T,
    ) -> Result<T, Stop> {
        let (block, chunk) = if self.has_sums() { (BLOCK_OF_SUMS, CHUNK_OF_SUMS) } else { (BLOCK, CHUNK) };
        let mut found = nothing.clone();
        for block in elements.chunks(block) {
            let parts = block.par_chunks(chunk).map(|part| {
                let (mut found, mut terms) = (nothing.clone(), 0.0);
                for i in part {
                    let (value, more) = self.value(*i, &[])?;
                    terms += more;
                    see(&mut found, *i, value);
                }
                Ok::<(T, f64), Stop>((found, terms))
            });
            let all = parts.try_reduce(|| (nothing.clone(), 0.0), |a, b| Ok((join(a.0, b.0), a.1 + b.1)))?;
            allowance.take(all.1)?;
            found = join(found, all.0);
        }
        Ok(found)
    }

    /// Whether it uses its own earlier values.
    fn recurs(&self) -> bool {
        self.formula.expr.buffers().iter().any(|(name, _)| Some(*name) == self.own)
    }
}

/// The values of a formula's names for one element.
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

/// Compares the elements of `output` with the formula's values. If the formula has sums and there are very many
/// elements, only some are compared: [`Outcome::elements`] is their number.
///
/// # Errors
/// Where the formula has no value for an element, takes too long or is cancelled.
pub(super) fn compare(
    around: &Around<'_>,
    output: &Tensor,
    (tolerance, scale): (f64, f64),
    allowance: &mut Allowance<'_>,
) -> Result<Outcome, Stop> {
    let total = around.count();
    if around.recurs() {
        let mut worst = Worst::default();
        around.in_turn(allowance, &mut |i, value| {
            worst.see(i, output, value, scale, tolerance);
            true
        })?;
        return Ok(Outcome { worst, elements: total, total, told: None });
    }
    let chosen = chosen(around, total, allowance);
    let see = |worst: &mut Worst, i: usize, value: f64| worst.see(i, output, value, scale, tolerance);
    let worst = around.find(&chosen, allowance, &Worst::default(), &see, Worst::join)?;
    Ok(Outcome { worst, elements: chosen.len(), total, told: None })
}

/// The elements that are evaluated: all, or some at even distances, including the first and the last.
pub(super) fn chosen(around: &Around<'_>, total: usize, allowance: &Allowance<'_>) -> Vec<usize> {
    if !around.has_sums() || total < 2 {
        return (0..total).collect();
    }
    // The last element's sums are usually the longest.
    let last = Element { around, i: total.saturating_sub(1), given: &[] };
    let terms = around.formula.expr.eval_and_count(&last).map_or(1.0, |(_, terms)| terms.max(1.0));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most as many as there are")]
    let most = ((allowance.of_one() / terms) as usize).clamp(2, MOST_SUMS).min(total);
    let mut chosen: Vec<usize> = (0..most).map(|k| k * (total - 1) / (most - 1).max(1)).collect();
    chosen.dedup();
    chosen
}
