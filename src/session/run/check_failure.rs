//! The error message for a failed check, with advice.

use crate::base::diag::Diagnostic;
use crate::job::{CheckSpec, Job};
use crate::session::jobs::own::{YOURS, is_edit_id};
use crate::trace::{Check, Record};

/// A failed check as a message, with the first wrong element, if there is one.
#[must_use]
pub fn failed_check(job: &Job, record: &Record) -> Option<Diagnostic> {
    let check = record.check().filter(|c| !c.ok)?;
    // In the code pane, or as an answer to an exercise.
    let is_mine = is_edit_id(&record.program) || job.place.file == YOURS;
    let is_it = |spec: &&CheckSpec| {
        job.buffers[spec.output].name == check.output && spec.against(&job.buffers) == check.reference
    };
    let spec = job.checks.iter().find(is_it);
    // The place is the check for a lesson's program, and the file for a single kernel or a learner's. A learner's kernel in a lesson's
    // program has no file, and the lesson's would be the wrong one.
    let asked = spec.and_then(|spec| spec.place.as_ref()).filter(|place| place.file == job.place.file);
    let place = if is_mine { None } else { asked.or(Some(&job.place)) };
    let is_whole = spec.is_some_and(|spec| job.buffers[spec.output].elem.is_whole());
    let first = check.first_wrong.map(|(i, got, expected)| {
        // Formatted as 32-bit floats, unless that hides the difference.
        #[expect(clippy::cast_possible_truncation, reason = "for fewer digits")]
        let [short_got, short_expected] = [got as f32, expected as f32];
        let row = spec.and_then(|spec| job.buffers[spec.output].columns).filter(|columns| *columns > 1);
        let i = row.map_or_else(|| i.to_string(), |of| format!("{i} (row {}, column {})", i / of, i % of));
        if got.is_nan() {
            format!(": element {i} was never written, or is no number, and should be {expected}")
        } else if is_whole || short_got == short_expected {
            format!(": element {i} is {got}, and should be {expected}")
        } else {
            format!(": element {i} is {short_got}, and should be {short_expected}")
        }
    });
    let told = check.told.as_ref().map(|told| format!(": {told}"));
    let what = match record.passes.len() {
        1 if is_mine => format!("your kernel leaves a wrong `{}`", check.output),
        1 => format!("kernel `{}` gives a wrong result", record.program),
        _ if is_mine => format!("with your kernel, `{}` is wrong", check.output),
        _ => format!("program `{}` leaves a wrong `{}`", record.program, check.output),
    };
    let round = if check.round > 0 { format!(" after round {}", check.round) } else { String::new() };
    // Whole numbers have no relative error.
    let error = if is_whole { String::new() } else { format!("; largest relative error {:.2e}", check.max_rel_error) };
    let found = first.or(told).unwrap_or_default();
    let message = match is_mine {
        // A learner reads the exercise, not the lesson's checks.
        true => format!("{what}{round}{found}"),
        false => {
            format!("{what}{round} on {}{found}{error}, against `{}`", record.backend.name(), check.reference)
        }
    };
    Some(Diagnostic::error(message).in_place_of(place).hint(advice(check, is_mine)))
}

/// Advice for a failed check.
fn advice(check: &Check, is_mine: bool) -> &'static str {
    match check {
        _ if is_mine => "the picture `Buffers` shows what each pass left in memory",
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
