//! L1: CPU references in f64: one visible table, name to function.

use crate::base::diag::Diagnostic;
use crate::base::tensor::Tensor;
use crate::job::CheckSpec;
use crate::trace::record::Check;

/// Compares `output` with what the reference makes of `inputs`: all the job's buffers as they were filled before the run.
///
/// # Errors
/// When there is no such reference, or an input of it is missing.
pub fn check(spec: &CheckSpec, inputs: &[(String, Tensor)], output: &Tensor) -> Result<Check, Diagnostic> {
    if spec.reference != "copy" {
        return Err(Diagnostic::error(format!("there is no reference called `{}`", spec.reference)));
    }
    let source = inputs.iter().find(|(name, _)| *name != spec.output).map(|(_, tensor)| tensor);
    let source = source.ok_or_else(|| Diagnostic::error("a copy needs a buffer to copy from"))?;
    let mut check = Check {
        reference: spec.reference.clone(),
        max_rel_error: 0.0,
        elements: output.len() as u64,
        ok: true,
        first_wrong: None,
    };
    for i in 0..output.len() {
        let (got, expected) = (output.get(i), source.get(i));
        let error = (got - expected).abs() / expected.abs().max(1e-30);
        let error = if error.is_finite() { error } else { f64::INFINITY };
        check.max_rel_error = check.max_rel_error.max(error);
        if error > spec.tolerance && check.first_wrong.is_none() {
            check.ok = false;
            check.first_wrong = Some((i as u64, got, expected));
        }
    }
    Ok(check)
}
