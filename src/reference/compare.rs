//! Comparing an output with its reference, element by element and in parallel.

use std::ops::Range;

use rayon::prelude::*;

use super::product::Product;
use super::table::{Expected, Form, Given, Reference, TABLE};
use crate::base::diag::{Diagnostic, nearest};
use crate::base::tensor::Tensor;
use crate::job::{CheckSpec, ReferenceSignature};
use crate::trace::Check;

/// Elements that one task compares.
const CHUNK: usize = 1 << 14;

/// Below this, an expected value counts as this when the relative error is taken: the smallest normal f32.
const TINY: f64 = 1.175_494_350_822_287_5e-38;

/// Compares `output` with the reference that `spec` names.
///
/// The error of an element is |output − reference| / max(|reference|, the smallest normal f32); it is infinite where the output is
/// not a number or was never written (outputs begin as NaNs). Elements of `output` past the reference's length are not
/// looked at.
///
/// Of a product of matrices, element (i, j) = Σ a·b may come near 0 by cancelling, where its rounding errors, which are those of the terms,
/// do not: there the error is |output − reference| / max(|reference|, ‖row i of A‖ ‖column j of B‖ / √K). The second is what a sum of K
/// products of that size comes to when their signs are random (√K times the root mean squares of both); a sum in f32 then errs by a
/// few times 10⁻⁷, growing with √K, and one that lacks a single term by about 1/√K. Products of more than 2³¹ multiplications are compared
/// in some of their rows and columns: [`Check::elements`] says how many elements that is.
///
/// Elements that are the difference of two terms say what their error is relative to at least; see `softmax`.
///
/// # Errors
/// Where there is no such reference, an argument is missing, unknown, fractional or negative, an input is missing or
/// too short, or `output` is shorter than the reference.
pub fn check(spec: &CheckSpec, inputs: &[(String, Tensor)], output: &Tensor) -> Result<Check, Diagnostic> {
    let reference = find(&spec.reference)?;
    let given = Given { args: arguments(reference, &spec.args)?, inputs: Vec::new() };
    let too_large = || Diagnostic::error(format!("the arguments of `{}` are too large", spec.reference));
    let len = (reference.len)(&given.args).ok_or_else(too_large)?;
    let needs = (reference.needs)(&given.args).ok_or_else(too_large)?;
    let inputs = reference.signature.inputs.iter().zip(needs).map(|(name, need)| {
        let (_, tensor) = inputs.iter().find(|(given, _)| given == name).ok_or_else(|| {
            Diagnostic::error(format!("the reference `{}` reads a buffer `{name}`, and there is none", spec.reference))
                .hint("give the kernel a buffer of that name, or choose another reference")
        })?;
        long_enough(&spec.reference, name, tensor, need)?;
        Ok(tensor)
    });
    let given = Given { inputs: inputs.collect::<Result<_, Diagnostic>>()?, ..given };
    long_enough(&spec.reference, &spec.output, output, len)?;

    let (worst, compared) = match reference.form {
        Form::Product { b_transposed } => Product::new(&given, b_transposed).compare(output, spec.tolerance),
        Form::Element(element) => {
            let chunks = (0..len.div_ceil(CHUNK)).into_par_iter().map(|chunk| {
                let range = chunk * CHUNK..len.min((chunk + 1) * CHUNK);
                compare(|i| element(&given, i), output, range, spec.tolerance)
            });
            (chunks.reduce(Worst::default, Worst::join), len as u64)
        }
        Form::Rows { width, row } => {
            let width = width(&given.args);
            let rows = (0..len.checked_div(width).unwrap_or(0)).into_par_iter().map(|i| {
                let mut expected = vec![Expected::default(); width];
                row(&given, i, &mut expected);
                let mut worst = Worst::default();
                for (index, Expected { value, scale }) in (i * width..).zip(expected) {
                    worst.see(index, output.get(index), value, scale, spec.tolerance);
                }
                worst
            });
            (rows.reduce(Worst::default, Worst::join), len as u64)
        }
    };
    Ok(Check {
        reference: spec.reference.clone(),
        max_rel_error: worst.error,
        elements: compared,
        total: len as u64,
        ok: worst.first_wrong.is_none(),
        first_wrong: worst.first_wrong.map(|(index, got, expected)| (index as u64, got, expected)),
    })
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
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Worst {
    pub(super) error: f64,
    /// Its index, what it is and what it should be.
    pub(super) first_wrong: Option<(usize, f64, f64)>,
}

impl Worst {
    /// Takes the element at `index` into account, whose error is relative to `scale` at least.
    pub(super) fn see(&mut self, index: usize, got: f64, expected: f64, scale: f64, tolerance: f64) {
        let error = relative_error(got, expected, scale);
        self.error = self.error.max(error);
        if error > tolerance && self.first_wrong.is_none_or(|(first, ..)| index < first) {
            self.first_wrong = Some((index, got, expected));
        }
    }

    /// Both together.
    pub(super) fn join(self, other: Self) -> Self {
        let first = [self.first_wrong, other.first_wrong].into_iter().flatten().min_by_key(|(index, ..)| *index);
        Self { error: self.error.max(other.error), first_wrong: first }
    }
}

fn compare(expected: impl Fn(usize) -> f64, output: &Tensor, range: Range<usize>, tolerance: f64) -> Worst {
    let mut worst = Worst::default();
    for i in range {
        worst.see(i, output.get(i), expected(i), 0.0, tolerance);
    }
    worst
}

fn relative_error(got: f64, expected: f64, scale: f64) -> f64 {
    let error = (got - expected).abs() / expected.abs().max(scale).max(TINY);
    // A NaN on either side, or an infinity on both.
    if error.is_nan() { f64::INFINITY } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::tensor::{Elem, Init};

    fn spec(reference: &str, args: &[(&str, f64)], tolerance: f64) -> CheckSpec {
        let args = args.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        CheckSpec { reference: reference.to_owned(), args, output: "dst".to_owned(), tolerance }
    }

    fn tensor(values: &[f64]) -> Tensor {
        Tensor { elem: Elem::F32, words: values.iter().map(|v| Elem::F32.encode(*v)).collect() }
    }

    fn index(value: u32) -> Tensor {
        Tensor { elem: Elem::U32, words: vec![value] }
    }

    fn named(name: &str, tensor: Tensor) -> (String, Tensor) {
        (name.to_owned(), tensor)
    }

    #[test]
    fn each_reference_gives_what_its_formula_says() -> Result<(), Diagnostic> {
        let iota = |count| Tensor::new(Elem::F32, count, Init::Iota, 0, 0);
        let cases = [
            (
                spec("strided_copy", &[("n", 3.0), ("stride", 2.0), ("offset", 1.0)], 0.0),
                vec![named("src", iota(6))],
                tensor(&[1.0, 3.0, 5.0]),
            ),
            (
                spec("aos_field", &[("n", 2.0), ("fields", 4.0), ("field", 3.0)], 0.0),
                vec![named("particles", iota(8))],
                tensor(&[3.0, 7.0]),
            ),
            (spec("pair_sum", &[("n", 3.0)], 0.0), vec![named("particles", iota(6))], tensor(&[1.0, 5.0, 9.0])),
            (
                spec("vector_add", &[("n", 2.0)], 0.0),
                vec![named("xs", iota(2)), named("ys", tensor(&[5.0, 7.0]))],
                tensor(&[5.0, 8.0]),
            ),
            // [[0, 1, 2], [3, 4, 5]] transposed.
            (
                spec("transpose", &[("rows", 2.0), ("cols", 3.0)], 0.0),
                vec![named("src", iota(6))],
                tensor(&[0.0, 3.0, 1.0, 4.0, 2.0, 5.0]),
            ),
            // [[0, 1, 2], [3, 4, 5]] · [[0, 1], [2, 3], [4, 5]]
            (
                spec("matmul", &[("m", 2.0), ("n", 2.0), ("k", 3.0)], 0.0),
                vec![named("a", iota(6)), named("b", iota(6))],
                tensor(&[10.0, 13.0, 28.0, 40.0]),
            ),
            // [[0, 1, 2], [3, 4, 5]] · [[0, 3], [1, 4], [2, 5]]
            (
                spec("matmul_nt", &[("m", 2.0), ("n", 2.0), ("k", 3.0)], 0.0),
                vec![named("a", iota(6)), named("b", iota(6))],
                tensor(&[5.0, 14.0, 14.0, 50.0]),
            ),
            // Of two equal logits each has a half.
            (
                spec("softmax", &[("rows", 2.0), ("cols", 2.0)], 0.0),
                vec![named("x", tensor(&[3.0, 3.0, 0.0, 1e4]))],
                tensor(&[0.5, 0.5, 0.0, 1.0]),
            ),
            // y · dy = 2
            (
                spec("softmax_backward", &[("rows", 1.0), ("cols", 2.0)], 0.0),
                vec![named("y", tensor(&[0.5, 0.5])), named("dy", tensor(&[1.0, 3.0]))],
                tensor(&[-0.5, 0.5]),
            ),
            (
                spec("softmax_jacobian", &[("cols", 2.0)], 0.0),
                vec![named("y", tensor(&[0.25, 0.75]))],
                tensor(&[0.1875, -0.1875, -0.1875, 0.1875]),
            ),
            // One logit has all: its loss is 0, or z of its square.
            (
                spec("cross_entropy", &[("rows", 1.0), ("cols", 1.0), ("z_millionths", 500_000.0)], 0.0),
                vec![named("x", tensor(&[4.0])), named("targets", index(0))],
                tensor(&[8.0]),
            ),
            (
                spec("cross_entropy_backward", &[("rows", 1.0), ("cols", 2.0), ("z_millionths", 0.0)], 0.0),
                vec![named("x", tensor(&[7.0, 7.0])), named("targets", index(1))],
                tensor(&[0.5, -0.5]),
            ),
        ];
        let covered: Vec<&str> = cases.iter().map(|(spec, ..)| spec.reference.as_str()).collect();
        let all: Vec<&str> = TABLE.iter().map(|reference| reference.signature.name).collect();
        assert_eq!(covered, all);
        for (spec, inputs, output) in cases {
            let check = check(&spec, &inputs, &output)?;
            assert_eq!((check.ok, check.max_rel_error, check.elements), (true, 0.0, output.len() as u64), "{check:?}");
        }
        Ok(())
    }

    #[test]
    fn the_first_wrong_element_is_named_whatever_thread_finds_it() -> Result<(), Diagnostic> {
        let src = Tensor::new(Elem::F32, 100_000, Init::Random, 1, 0);
        let mut output = src.clone();
        output.words[70_000] = Elem::F32.encode(9.0);
        output.words[20_001] = Elem::F32.encode(5.0);
        let spec = spec("strided_copy", &[("n", 100_000.0), ("stride", 1.0), ("offset", 0.0)], 1e-3);
        let check = check(&spec, &[named("src", src.clone())], &output)?;
        assert!(!check.ok && check.max_rel_error > 1e-3 && check.max_rel_error.is_finite());
        assert_eq!(check.first_wrong, Some((20_001, 5.0, src.get(20_001))));
        Ok(())
    }

    #[test]
    fn the_tolerance_is_relative() -> Result<(), Diagnostic> {
        let args = [("n", 1.0), ("stride", 1.0), ("offset", 0.0)];
        let src = [named("src", tensor(&[1000.0]))];
        let near = tensor(&[1000.5]);
        assert!(check(&spec("strided_copy", &args, 1e-3), &src, &near)?.ok);
        let strict = check(&spec("strided_copy", &args, 1e-4), &src, &near)?;
        assert!(!strict.ok);
        assert!((strict.max_rel_error - 5e-4).abs() < 1e-9);
        Ok(())
    }

    #[test]
    fn what_was_never_written_is_infinitely_wrong() -> Result<(), Diagnostic> {
        let args = [("n", 4.0), ("stride", 1.0), ("offset", 0.0)];
        let mut output = tensor(&[1.0; 4]);
        output.words[2] = crate::base::tensor::POISON;
        let check = check(&spec("strided_copy", &args, 0.9), &[named("src", tensor(&[1.0; 4]))], &output)?;
        assert_eq!((check.ok, check.max_rel_error), (false, f64::INFINITY));
        assert_eq!(check.first_wrong.map(|(index, ..)| index), Some(2));
        Ok(())
    }

    #[test]
    fn a_check_that_cannot_be_made_says_why() {
        let src = [named("src", tensor(&[1.0; 4]))];
        let short = tensor(&[1.0; 2]);
        let why =
            |spec: &CheckSpec, inputs: &[(String, Tensor)]| check(spec, inputs, &short).map_err(|d| d.to_string());
        for (name, args, inputs, wanted) in [
            ("strided_cpoy", vec![], &src[..], "did you mean `strided_copy`"),
            ("strided_copy", vec![("n", 2.0)], &src, "needs the argument `stride`"),
            ("strided_copy", vec![("n", 2.0), ("stride", 1.0), ("offset", 0.0), ("k", 1.0)], &src, "no argument `k`"),
            ("strided_copy", vec![("n", 1.5), ("stride", 1.0), ("offset", 0.0)], &src, "`n` of `strided_copy` is 1.5"),
            ("strided_copy", vec![("n", -1.0), ("stride", 1.0), ("offset", 0.0)], &src, "not a whole number"),
            (
                "strided_copy",
                vec![("n", 4.0), ("stride", 1.0), ("offset", 0.0)],
                &src,
                "needs 4 elements of `dst`, which has 2",
            ),
            ("strided_copy", vec![("n", 2.0), ("stride", 4.0), ("offset", 0.0)], &src, "needs 5 elements of `src`"),
            ("strided_copy", vec![("n", 2.0), ("stride", 1.0), ("offset", 0.0)], &[], "reads a buffer `src`"),
            ("strided_copy", vec![("n", 9e15), ("stride", 9e15), ("offset", 0.0)], &src, "too large"),
        ] {
            let error = why(&spec(name, &args, 0.0), inputs).err().unwrap_or_default();
            assert!(error.contains(wanted), "{name} {args:?}: {error}");
        }
    }
}
