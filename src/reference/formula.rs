//! Formulas for elements: evaluated in f64, over parameters, elements of buffers, and the elements before that they give themselves.

use rayon::prelude::*;

use super::compare::{Outcome, Worst};
use crate::base::diag::Diagnostic;
use crate::base::expr::{EvalError, Scope};
use crate::base::tensor::Tensor;
use crate::base::units::number;
use crate::job::Formula;

/// Elements up to which a formula that adds something up for each of them is evaluated for all.
const MOST_SUMS: usize = 4096;

/// Terms that all sums of a check may come to, about: some seconds.
const MOST_TERMS: f64 = (1u64 << 27) as f64;

/// The part of what is left to all checks of a run that one of them takes at most, if fewer elements can be compared.
const PART: f64 = 64.0;

/// Terms that the sums of all checks of a run may come to: some minutes on one core.
pub const TERMS: f64 = PART * MOST_TERMS;

/// Elements between two looks at what a check may still cost, and those that one task evaluates: fewer where each adds something up.
const BLOCK: usize = 1 << 18;
const CHUNK: usize = 1 << 12;
const BLOCK_OF_SUMS: usize = 64;
const CHUNK_OF_SUMS: usize = 4;

/// The cost that a check may still have.
pub struct Allowance<'a> {
    /// Terms of sums, of which all checks of a run have [`TERMS`].
    pub terms: &'a mut f64,
    /// True once no one waits for the check any more.
    pub cancelled: &'a dyn Fn() -> bool,
}

impl Allowance<'_> {
    /// Terms for one check, of which there may be one after each round.
    fn of_one(&self) -> f64 {
        *self.terms / PART
    }

    /// Takes what some elements have cost.
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

/// Why a check has no result.
#[derive(Debug)]
pub(super) enum Stop {
    /// The formula has no value for an element.
    NoValue(Diagnostic),
    /// It was cancelled, or takes too long.
    Over(Diagnostic),
}

impl From<Stop> for Diagnostic {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::NoValue(problem) | Stop::Over(problem) => problem,
        }
    }
}

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

    /// The formula's value for element `i`, after it has given those in `given`; and how many terms it added up.
    pub fn value(&self, i: usize, given: &[f64]) -> Result<(f64, f64), Stop> {
        self.formula.expr.eval_and_count(&Element { around: self, i, given }).map_err(|why| {
            let source = self.formula.expr.source();
            let message = format!("the formula `{source}` has no value for element {i}: {why}");
            let hint = "guard it with if(…), which evaluates only the side that it takes; or give the check a `count`";
            Stop::NoValue(Diagnostic::error(message).hint(hint))
        })
    }

    /// True if it adds something up for each element.
    fn has_sums(&self) -> bool {
        self.formula.expr.source().contains(crate::base::expr::SUM)
    }

    /// Shows the values of all elements in turn, as long as `see` wants more. None can be left out, so sums have a bound here.
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

    /// All that `see` finds in the values of some elements, evaluated on all cores.
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
/// Where it has no value for an element, takes too long or is cancelled.
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

/// The elements that are evaluated: all, or some at even distances with the first and the last.
pub(super) fn chosen(around: &Around<'_>, total: usize, allowance: &Allowance<'_>) -> Vec<usize> {
    if !around.has_sums() || total < 2 {
        return (0..total).collect();
    }
    // The last element's sums are mostly the longest.
    let last = Element { around, i: total.saturating_sub(1), given: &[] };
    let terms = around.formula.expr.eval_and_count(&last).map_or(1.0, |(_, terms)| terms.max(1.0));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most as many as there are")]
    let most = ((allowance.of_one() / terms) as usize).clamp(2, MOST_SUMS).min(total);
    let mut chosen: Vec<usize> = (0..most).map(|k| k * (total - 1) / (most - 1).max(1)).collect();
    chosen.dedup();
    chosen
}
