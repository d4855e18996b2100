//! A run as a table of numbers, a row for each kernel that it launched: what a note records, and `rerun` compares.

use super::output::RunOutput;
use crate::trace::counters::compared;
use crate::trace::{Record, Trace};

/// The columns that name a row, and the columns of its time.
const NAMED: [&str; 2] = ["pass", "kernel"];
const TIMES: [&str; 3] = ["median_s", "p10_s", "p90_s"];

/// Whether a column that a table has not is one of counts, which are 0 then.
#[must_use]
pub fn is_count(name: &str) -> bool {
    compared(&Trace::default()).iter().any(|(label, _)| *label == name)
}

/// The header and the rows.
pub type Table = (Vec<String>, Vec<Vec<String>>);

/// A kernel's numbers: its place in the program, from 1, its id, its time's median and spread in seconds, and its
/// counts.
type Row<'a> = (usize, &'a str, Option<[f64; 3]>, Option<&'a Trace>);

#[must_use]
pub fn of_record(record: &Record) -> Table {
    let rows = (1..).zip(&record.passes).filter_map(|(place, pass)| {
        let time = pass.timing.as_ref().map(|time| [time.median_s, time.p10_s, time.p90_s]);
        Some((place, pass.kernel.as_deref()?, time, pass.trace.as_ref()))
    });
    table(&rows.collect::<Vec<_>>())
}

/// Of what `run` gives for one kernel or program.
#[must_use]
pub fn of_output(output: &RunOutput) -> Table {
    let alone = output.kernels.iter().map(|kernel| {
        let time = kernel.time.as_ref().map(|time| [time.median_s, time.p10_s, time.p90_s]);
        (1, kernel.id.as_str(), time, kernel.trace.as_ref())
    });
    let passes = output.programs.iter().flat_map(|program| (1..).zip(&program.passes)).filter_map(|(place, pass)| {
        let time = pass.time.as_ref().map(|time| [time.median_s, time.p10_s, time.p90_s]);
        Some((place, pass.kernel.as_deref()?, time, pass.trace.as_ref()))
    });
    table(&alone.chain(passes).collect::<Vec<_>>())
}

/// Columns that no row has a number for are left out, and counts that are 0 in all rows.
fn table(rows: &[Row<'_>]) -> Table {
    let timed = rows.iter().any(|(_, _, time, _)| time.is_some());
    let times = TIMES.iter().filter(|_| timed);
    let counted: Vec<_> = rows.iter().map(|(.., trace)| trace.map(compared)).collect();
    let is_there = |at: &usize| counted.iter().flatten().any(|counts| counts[*at].1 > 0);
    let labels: Vec<&str> = compared(&Trace::default()).into_iter().map(|(label, _)| label).collect();
    let shown: Vec<usize> = (0..labels.len()).filter(is_there).collect();
    let header = NAMED.iter().chain(times).chain(shown.iter().map(|at| &labels[*at]));
    let each = rows.iter().zip(&counted).map(|((place, kernel, time, _), counted)| {
        let times = (0..TIMES.len()).filter(|_| timed);
        let times = times.map(|i| time.map_or_else(String::new, |time| format!("{:.6e}", time[i])));
        let counts =
            shown.iter().map(|at| counted.as_ref().map_or_else(String::new, |counts| counts[*at].1.to_string()));
        [place.to_string(), (*kernel).to_owned()].into_iter().chain(times).chain(counts).collect()
    });
    (header.map(ToString::to_string).collect(), each.collect())
}
