//! Comparing an output with its reference, element by element and in parallel.

use std::ops::Range;

use rayon::prelude::*;

use super::given::{Expected, Given};
use super::product::Product;
use super::table::{Form, Reference, TABLE};
use crate::base::diag::{Diagnostic, nearest};
use crate::base::tensor::Tensor;
use crate::job::ReferenceSignature;

/// The number of elements that one task compares.
const CHUNK: usize = 1 << 14;

/// The minimum denominator of a relative error: the smallest normal f32.
const TINY: f64 = 1.175_494_350_822_287_5e-38;

/// The outcome of a comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Outcome {
    pub worst: Worst,
    pub elements: usize,
    /// Elements in total.
    pub total: usize,
    /// The error message, if the error is not that of a single element with a wrong value.
    pub told: Option<String>,
}

/// Compares `output` with a CPU reference.
///
/// The error of an element is |output − reference| / max(|reference|, the smallest normal f32). It is 0 if both are the
/// same infinity or both are NaN, and otherwise infinite if one of them is not a number, or if the output was never
/// written (outputs begin as NaNs of their own). Elements of `output` past the reference's length are not checked.
///
/// In a product of matrices, element (i, j) = Σ a·b may be near 0 by cancellation, while its rounding errors, which are
/// those of the terms, are not: there the error is |output − reference| / max(|reference|, ‖row i of A‖ ‖column j of B‖
/// / √K). The second is the magnitude of a sum of K products of that size with random signs (√K times the root mean
/// squares of both); a sum in f32 then errs by a few times 10⁻⁷, growing with √K, and one that lacks a single term by
/// about 1/√K. Products of more than 2³¹ multiplications are compared in some of their rows and columns:
/// [`Outcome::elements`] is the number of compared elements.
///
/// Of references that are computed by rows, some compare only part of many long ones, at even distances and with the
/// last.
///
/// Elements that are the difference of two terms give the least magnitude that their error is relative to; see
/// `softmax`.
///
/// # Errors
/// Where there is no such reference, an argument is missing, unknown, fractional or negative, an input is missing or
/// too short, or `output` is shorter than the reference.
pub(super) fn named(
    name: &str,
    args: &[(String, f64)],
    inputs: &[(&str, &Tensor)],
    (output_name, output): (&str, &Tensor),
    tolerance: f64,
) -> Result<Outcome, Diagnostic> {
    let reference = find(name)?;
    let given = Given { args: arguments(reference, args)?, inputs: Vec::new() };
    let too_large = || Diagnostic::error(format!("the arguments of `{name}` are too large"));
    let len = (reference.len)(&given.args).ok_or_else(too_large)?;
    let needs = (reference.needs)(&given.args).ok_or_else(too_large)?;
    let inputs = reference.signature.inputs.iter().zip(needs).map(|(input, need)| {
        let (_, tensor) = inputs.iter().find(|(given, _)| given == input).ok_or_else(|| {
            Diagnostic::error(format!("the reference `{name}` reads a buffer `{input}`, and there is none"))
                .hint("give the kernel a buffer of that name, or choose another reference")
        })?;
        long_enough(name, input, tensor, need)?;
        Ok(*tensor)
    });
    let given = Given { inputs: inputs.collect::<Result<_, Diagnostic>>()?, ..given };
    long_enough(name, output_name, output, len)?;

    let (worst, compared) = match reference.form {
        Form::Product { b_transposed } => Product::new(&given, b_transposed).compare(output, tolerance),
        Form::Element(element) => (each(len, output, (tolerance, 0.0), &|i| element(&given, i)), len as u64),
        Form::Rows { width, row, most } => {
            let width = width(&given.args);
            let all = len.checked_div(width).unwrap_or(0);
            // An odd distance, so that rows are at all places of a kernel's tiles.
            let apart = all.checked_div(most(&given.args)).map_or(1, |apart| apart | 1);
            let rows = (0..all).into_par_iter().filter(|i| i % apart == 0 || i + 1 == all);
            let compared = rows.clone().count() * width;
            let rows = rows.map(|i| {
                let mut expected = vec![Expected::default(); width];
                row(&given, i, &mut expected);
                let mut worst = Worst::default();
                for (index, Expected { value, scale }) in (i * width..).zip(expected) {
                    worst.see(index, output, value, scale, tolerance);
                }
                worst
            });
            (rows.reduce(Worst::default, Worst::join), compared as u64)
        }
    };
    let elements = usize::try_from(compared).unwrap_or(usize::MAX);
    Ok(Outcome { worst, elements, total: len, told: None })
}

/// Compares the first `len` elements of `output` with those of `expected`. The least magnitude that errors are relative
/// to is `scale`.
pub(super) fn each(
    len: usize,
    output: &Tensor,
    (tolerance, scale): (f64, f64),
    expected: &(dyn Fn(usize) -> f64 + Sync),
) -> Worst {
    let chunks = (0..len.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| compare(expected, output, chunk * CHUNK..len.min((chunk + 1) * CHUNK), (tolerance, scale)));
    chunks.reduce(Worst::default, Worst::join)
}

fn find(name: &str) -> Result<&'static Reference, Diagnostic> {
    TABLE.iter().find(|reference| reference.signature.name == name).ok_or_else(|| {
        let names = || TABLE.iter().map(|reference| reference.signature.name);
        let hint = nearest(name, names()).map_or_else(
            || format!("references are {}", names().collect::<Vec<_>>().join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        Diagnostic::error(format!("there is no reference `{name}`")).hint(hint)
    })
}

/// The arguments in the order of the reference's signature.
fn arguments(reference: &Reference, given: &[(String, f64)]) -> Result<Vec<usize>, Diagnostic> {
    let ReferenceSignature { name, args, .. } = reference.signature;
    if let Some((odd, _)) = given.iter().find(|(arg, _)| !args.contains(&arg.as_str())) {
        return Err(Diagnostic::error(format!("the reference `{name}` has no argument `{odd}`"))
            .hint(format!("its arguments are {}", args.join(", "))));
    }
    let argument = |arg: &&str| {
        let value = given.iter().find(|(name, _)| name == arg).map(|(_, value)| *value).ok_or_else(|| {
            Diagnostic::error(format!("the reference `{name}` needs the argument `{arg}`")).hint("add it to `args`")
        })?;
        if value.fract() != 0.0 || !(0.0..=9.0e15).contains(&value) {
            return Err(Diagnostic::error(format!("the argument `{arg}` of `{name}` is {value}, not a whole number")));
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and bounded just before")]
        Ok(value as usize)
    };
    args.iter().map(argument).collect()
}

fn long_enough(reference: &str, name: &str, tensor: &Tensor, need: usize) -> Result<(), Diagnostic> {
    if tensor.len() >= need {
        return Ok(());
    }
    Err(Diagnostic::error(format!(
        "the reference `{reference}` needs {need} elements of `{name}`, which has {}",
        tensor.len()
    ))
    .hint("make the buffer's count and the reference's arguments agree"))
}

/// The largest error so far, and the first element beyond the tolerance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Worst {
    pub(super) error: f64,
    /// Its index, its value and the expected value.
    pub(super) first_wrong: Option<(usize, f64, f64)>,
}

impl Worst {
    /// Adds the element of `output` at `index`; the least magnitude that its error is relative to is `scale`.
    pub(super) fn see(&mut self, index: usize, output: &Tensor, expected: f64, scale: f64, tolerance: f64) {
        let got = output.get(index);
        let error = if output.is_poison(index) { f64::INFINITY } else { relative_error(got, expected, scale) };
        self.error = self.error.max(error);
        if error > tolerance && self.first_wrong.is_none_or(|(first, ..)| index < first) {
            self.first_wrong = Some((index, got, expected));
        }
    }

    pub(super) fn join(self, other: Self) -> Self {
        let first = [self.first_wrong, other.first_wrong].into_iter().flatten().min_by_key(|(index, ..)| *index);
        Self { error: self.error.max(other.error), first_wrong: first }
    }
}

fn compare(
    expected: impl Fn(usize) -> f64,
    output: &Tensor,
    range: Range<usize>,
    (tolerance, scale): (f64, f64),
) -> Worst {
    let mut worst = Worst::default();
    for i in range {
        worst.see(i, output, expected(i), scale, tolerance);
    }
    worst
}

fn relative_error(got: f64, expected: f64, scale: f64) -> f64 {
    if got == expected || got.is_nan() && expected.is_nan() {
        return 0.0;
    }
    let error = (got - expected).abs() / expected.abs().max(scale).max(TINY);
    // A NaN on one side, or two different infinities.
    if error.is_nan() { f64::INFINITY } else { error }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
