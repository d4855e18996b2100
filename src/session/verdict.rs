//! What is said of a check that failed.

use super::edits::is_edit_id;
use crate::base::diag::Diagnostic;
use crate::job::{CheckSpec, Job};
use crate::trace::{Check, Record};

/// A failed check as a message, with what is wrong: the first such element, if it is one.
#[must_use]
pub fn failed_check(job: &Job, record: &Record) -> Option<Diagnostic> {
    let check = record.check().filter(|c| !c.ok)?;
    let is_it = |spec: &&CheckSpec| {
        job.buffers[spec.output].name == check.output && spec.against(&job.buffers) == check.reference
    };
    // Of what a lesson puts together the check is named; of one kernel, or of what a learner wrote, its file.
    let place = job.checks.iter().find(is_it).and_then(|spec| spec.place.as_ref());
    let place = place.filter(|place| place.file == job.place.file).unwrap_or(&job.place);
    let first = check.first_wrong.map(|(i, got, expected)| {
        let got = if got.is_nan() { "was never written, or is no number".to_owned() } else { format!("is {got}") };
        format!(": element {i} {got}, and should be {expected}")
    });
    let told = check.told.as_ref().map(|told| format!(": {told}"));
    let what = match record.passes.len() {
        1 if is_edit_id(&record.program) => "your kernel gives a wrong result".to_owned(),
        1 => format!("kernel `{}` gives a wrong result", record.program),
        _ => format!("program `{}` leaves a wrong `{}`", record.program, check.output),
    };
    let round = if check.round > 0 { format!(" after round {}", check.round) } else { String::new() };
    let message = format!(
        "{what}{round} on {}{}; relative error {:e} against `{}`",
        record.backend.name(),
        first.or(told).unwrap_or_default(),
        check.max_rel_error,
        check.reference
    );
    Some(Diagnostic::error(message).in_place(place).hint(advice(check)))
}

/// What to do about a failed check.
fn advice(check: &Check) -> &'static str {
    match check {
        Check { told: Some(_), .. } => {
            "no time is shown for a wrong result; `warpbook run` with `--print` shows what the buffer holds"
        }
        Check { max_rel_error, .. } if *max_rel_error < ROUNDING => {
            "this is no more than rounding: give the check a `tolerance`, and a `scale` where terms cancel"
        }
        Check { first_wrong: Some((_, got, _)), .. } if got.is_nan() => {
            "`warpbook trace` says which reads and writes went wrong, at their lines"
        }
        Check { .. } => {
            "no time is shown for a wrong result; compare the kernel's indices with the formula or reference"
        }
    }
}

/// Below this relative error, floats of 32 bits differ by rounding.
const ROUNDING: f64 = 1e-5;
