//! Running a check: comparing a buffer's contents with the expected ones.

use super::compare::{self, Outcome};
use super::formula::{self, Allowance, Stop};
use super::predicate;
use crate::base::diag::Diagnostic;
use crate::base::tensor::Tensor;
use crate::job::{Against, BufferSpec, CheckSpec, Formula, Predicate};
use crate::trace::Check;

/// The data of a program's run that a check reads.
pub struct Seen<'a> {
    /// The program's buffers.
    pub buffers: &'a [BufferSpec],
    /// The buffers that the check [asks for](CheckSpec::sees), in the same order.
    pub contents: Vec<Tensor>,
    /// The result of the plain kernel, if the check compares with one.
    pub expected: Option<Tensor>,
    /// The number of rounds or launches so far; 0 at the end.
    pub round: u64,
}

impl Seen<'_> {
    /// The contents of a buffer, now or initially.
    fn content(&self, spec: &CheckSpec, buffer: usize, before: bool) -> Result<&Tensor, Diagnostic> {
        let at = spec.sees().iter().position(|seen| *seen == (buffer, before));
        let found = at.and_then(|at| self.contents.get(at));
        found.ok_or_else(|| Diagnostic::error("a check asks for a buffer that nobody has read"))
    }

    fn name(&self, buffer: usize) -> &str {
        self.buffers.get(buffer).map_or("?", |buffer| buffer.name.as_str())
    }
}

/// The outcome of a formula without a value: an error in the result if an element that it takes is not finite, or an
/// index is itself an element, because the kernel may have got that wrong; otherwise a mistake in the formula.
fn no_value(formula: &Formula, stop: Stop) -> Result<Outcome, Diagnostic> {
    let problem = match stop {
        Stop::NoValue { problem, of_result } if of_result || formula.expr.has_nested_elements() => problem,
        Stop::NoValue { problem, .. } | Stop::Over(problem) => return Err(problem),
    };
    let worst = compare::Worst { error: f64::INFINITY, ..compare::Worst::default() };
    Ok(Outcome { worst, told: Some(problem.message), ..Outcome::default() })
}

/// Runs one check.
///
/// # Errors
/// Where it cannot run: a reference's arguments or inputs do not fit, a formula is wrong, it checks nothing, takes too
/// long or is cancelled.
pub fn check(spec: &CheckSpec, seen: &Seen<'_>, allowance: &mut Allowance<'_>) -> Result<Check, Diagnostic> {
    let output = seen.content(spec, spec.output, false)?;
    let count = seen.buffers.get(spec.output).map_or(0, |buffer| usize::try_from(buffer.count).unwrap_or(usize::MAX));
    let found = match &spec.against {
        Against::Reference { name, args, inputs } => {
            let inputs = inputs.iter().map(|(name, buffer)| Ok((name.as_str(), seen.content(spec, *buffer, true)?)));
            let inputs = inputs.collect::<Result<Vec<_>, Diagnostic>>()?;
            compare::named(name, args, &inputs, (seen.name(spec.output), output), spec.tolerance)?
        }
        Against::Kernel(launch) => {
            let expected = seen.expected.as_ref().filter(|expected| expected.len() >= count);
            let Some(expected) = expected else {
                return Err(Diagnostic::error(format!(
                    "the plain kernel `{}` gave nothing to compare with",
                    launch.kernel
                )));
            };
            let worst = compare::each(count, output, (spec.tolerance, spec.scale), &|i| expected.get(i));
            Outcome { worst, elements: count, total: count, told: None }
        }
        Against::Formula(formula) => {
            let of = |buffer, before| seen.content(spec, buffer, before);
            let mut around = formula::Around::new(formula, &of, seen.round)?;
            around.expected_of(seen.name(spec.output));
            let compared = formula::compare(&around, output, (spec.tolerance, spec.scale), allowance);
            compared.or_else(|stop| no_value(formula, stop))?
        }
        Against::Predicate(of) => {
            let content = |buffer, before| seen.content(spec, buffer, before);
            let held = predicate::holds(of, (output, count), spec.tolerance, &content, seen, allowance);
            match of {
                Predicate::Every(formula) | Predicate::SortedBy(formula) => {
                    held.or_else(|stop| no_value(formula, stop))?
                }
                _ => held?,
            }
        }
    };
    // If a formula has no value for the kernel's result, that is an error in the result.
    if found.total == 0 && found.told.is_none() {
        let message = format!("this check covers no element of `{}`, and so checks nothing", seen.name(spec.output));
        return Err(Diagnostic::error(message).hint("change its arguments, or give it a `when`"));
    }
    let first_wrong = found.worst.first_wrong.map(|(index, got, expected)| (index as u64, got, expected));
    Ok(Check {
        output: seen.name(spec.output).to_owned(),
        reference: spec.against(seen.buffers),
        round: seen.round,
        max_rel_error: found.worst.error,
        elements: found.elements as u64,
        total: found.total as u64,
        ok: first_wrong.is_none() && found.told.is_none(),
        first_wrong,
        told: found.told,
    })
}

#[cfg(test)]
mod tests {
    use super::super::formula::TERMS;
    use super::*;
    use crate::base::expr::Expr;
    use crate::base::tensor::{Elem, Init};
    use crate::job::Content;

    /// A check of 64 zeros by a formula that may sum `terms` terms, or is cancelled; and the number of terms left after
    /// it.
    fn made(
        against: &dyn Fn(Formula) -> Against,
        expr: &str,
        mut terms: f64,
        cancelled: bool,
    ) -> (Result<Check, Diagnostic>, f64) {
        let zeros = Tensor::new(Elem::F32, 64, Init::Zero, 0, 0);
        let (name, content) = ("dst".to_owned(), Content::Made(Init::Zero));
        let (elem, columns, blame, place) = (Elem::F32, None, Vec::new(), None);
        let buffers = [BufferSpec { name, elem, count: 64, content, columns, blame, place }];
        let expr = Expr::parse(expr).expect("a formula");
        let of_itself = expr.buffers().iter().map(|(name, _)| ((*name).to_owned(), 0, false)).collect();
        let formula = Formula { expr, names: Vec::new(), buffers: of_itself, count: 64 };
        let against = against(formula);
        let spec = CheckSpec { output: 0, against, tolerance: 0.0, scale: 0.0, after: None, place: None };
        let contents = spec.sees().iter().map(|_| zeros.clone()).collect();
        let seen = Seen { buffers: &buffers, contents, expected: None, round: 0 };
        let check = check(&spec, &seen, &mut Allowance { terms: &mut terms, cancelled: &|| cancelled });
        (check, terms)
    }

    #[test]
    fn an_index_that_the_kernel_got_wrong_is_a_wrong_result() {
        let every = |formula: Formula| Against::Predicate(Predicate::Every(formula));
        let (check, _) = made(&every, "dst[dst[i] + 100] == 0", TERMS, false);
        assert!(check.is_ok_and(|check| !check.ok && check.told.is_some()));
    }

    #[test]
    fn sums_have_a_bound_over_all_elements_and_can_be_called_off() {
        let sorted = |formula: Formula| Against::Predicate(Predicate::SortedBy(formula));
        let in_turn: [&dyn Fn(Formula) -> Against; 2] = [&Against::Formula, &sorted];
        for against in in_turn {
            // Each element depends on the one before, so none can be left out.
            let expr = "0 * sum(k, 0, 10, k) + if(i > 0, 0 * dst[i - 1], 0)";
            let (check, left) = made(against, expr, 64.0 * 640.0, false);
            assert!(check.is_ok_and(|check| check.elements == 64) && left == 63.0 * 640.0, "{left}");
            let (check, _) = made(against, expr, 64.0 * 639.0, false);
            assert!(check.is_err_and(|why| why.message.contains("sums of this check come to more than 639 terms")));
            let (check, _) = made(against, expr, TERMS, true);
            assert!(check.is_err_and(|why| why.message == "the check was cancelled"));
        }
        let every = |formula: Formula| Against::Predicate(Predicate::Every(formula));
        let kinds: [&dyn Fn(Formula) -> Against; 2] = [&Against::Formula, &every];
        for against in kinds {
            // With fewer terms left, fewer elements are compared; at least two.
            for (terms, elements) in [(TERMS, 64), (64.0 * 50.0, 5), (20.0, 2)] {
                let (check, left) = made(against, "0 * sum(k, 0, 10, k)", terms, false);
                assert!(check.is_ok_and(|check| check.elements == elements), "{terms}");
                assert_eq!(terms - left, 10.0 * elements as f64);
            }
            let (check, _) = made(against, "0 * sum(k, 0, 10, k)", 19.0, false);
            assert!(check.is_err_and(|why| why.message.contains("sums of all checks of a run come to more than")));
            let (check, _) = made(against, "0 * sum(k, 0, 10, k)", TERMS, true);
            assert!(check.is_err_and(|why| why.message == "the check was cancelled"));
        }
    }
}
