//! Carrying out a check: what a buffer holds against what it should hold.

use super::compare::{self, Outcome};
use super::{formula, predicate};
use crate::base::diag::Diagnostic;
use crate::base::tensor::Tensor;
use crate::job::{Against, BufferSpec, CheckSpec, Formula, Predicate};
use crate::trace::Check;

/// What a check sees of a program's run.
pub struct Seen<'a> {
    /// The program's buffers.
    pub buffers: &'a [BufferSpec],
    /// Those that the check [asks for](CheckSpec::sees), in its order.
    pub contents: Vec<Tensor>,
    /// What a plain kernel gave, where the check compares with one.
    pub expected: Option<Tensor>,
    /// Rounds or launches that had been made; 0 at the end.
    pub round: u64,
}

impl Seen<'_> {
    /// What a buffer holds, or held at first.
    fn content(&self, spec: &CheckSpec, buffer: usize, before: bool) -> Result<&Tensor, Diagnostic> {
        let at = spec.sees().iter().position(|seen| *seen == (buffer, before));
        let found = at.and_then(|at| self.contents.get(at));
        found.ok_or_else(|| Diagnostic::error("a check asks for a buffer that nobody has read"))
    }

    fn name(&self, buffer: usize) -> &str {
        self.buffers.get(buffer).map_or("?", |buffer| buffer.name.as_str())
    }
}

/// What a formula without a value says of the result: an index that is an element may be one that the kernel got wrong. Any other index
/// is a mistake in the formula.
fn no_value(formula: &Formula, problem: Diagnostic) -> Result<Outcome, Diagnostic> {
    if !formula.expr.has_nested_elements() {
        return Err(problem);
    }
    let worst = compare::Worst { error: f64::INFINITY, ..compare::Worst::default() };
    Ok(Outcome { worst, told: Some(problem.message), ..Outcome::default() })
}

/// Carries out one check.
///
/// # Errors
/// Where it cannot be made: a reference's arguments or inputs do not fit, or a formula is wrong.
pub fn check(spec: &CheckSpec, seen: &Seen<'_>) -> Result<Check, Diagnostic> {
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
            let compared = formula::compare(&around, output, (spec.tolerance, spec.scale));
            compared.or_else(|problem| no_value(formula, problem))?
        }
        Against::Predicate(of) => {
            let content = |buffer, before| seen.content(spec, buffer, before);
            let held = predicate::holds(of, (output, count), spec.tolerance, &content, seen);
            match of {
                Predicate::Every(formula) | Predicate::SortedBy(formula) => {
                    held.or_else(|problem| no_value(formula, problem))?
                }
                _ => held?,
            }
        }
    };
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
