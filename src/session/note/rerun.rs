//! A table that a note recorded beside the same table now: what is equal, and what differs by how much.

use std::collections::HashMap;

use serde::Serialize;

use crate::notes::read::Data;
use crate::session::experiment::sweep;
use crate::session::run::table;

/// The columns that a row is identified by.
const AT: usize = 2;
/// A time's median, and its spread.
const TIME: [&str; 3] = ["median_s", "p10_s", "p90_s"];
/// Columns that follow from others, or say how a time was taken. A library's time has no recorded spread to compare by.
const LEFT_OUT: [&str; 8] =
    ["p10_s", "p90_s", "samples", "bytes_per_s", "flops_per_s", "library", "library_median_s", "samples_s"];

/// A check that was not made.
const SKIPPED: &str = "skipped";

/// The comparison of a sweep.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Compared {
    /// Values that are as recorded: counts that are equal, times whose spreads meet.
    pub equal: usize,
    /// Values that are not.
    pub differs: Vec<Difference>,
    /// Recorded values that are not here: points that were left out, or times where nothing has a clock.
    pub missing: usize,
}

/// A value that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The value of the swept parameter.
    pub at: String,
    /// The kernel or program.
    pub kernel: String,
    /// The column's name.
    pub what: String,
    /// The recorded value.
    pub recorded: String,
    /// The value here.
    pub here: String,
    /// The value here over the recorded one; None if one of them is no number above 0.
    pub ratio: Option<f64>,
    /// Whether it is a count, which is the same on every machine for the same kernel and input.
    pub is_count: bool,
}

/// Compares rows with those that a note recorded. Rows that `here` has not are left to other commands.
#[must_use]
pub fn compare(recorded: &Data, here: &Data) -> Compared {
    let mut found = Compared::default();
    let key = |row: &[String]| [0, 1].map(|column| row.get(column).cloned().unwrap_or_default());
    let known: HashMap<_, _> = recorded.rows.iter().rev().map(|row| (key(row), row)).collect();
    let is_compared = |name: &&String| !LEFT_OUT.contains(&name.as_str());
    for row in &here.rows {
        let [at, kernel] = key(row);
        let Some(old) = known.get(&[at.clone(), kernel.clone()]) else { continue };
        // A count that is 0 has no column.
        let is_new = |name: &&String| counted(recorded) && table::is_count(name) && !recorded.header.contains(name);
        let new = here.header.iter().filter(is_new);
        for name in recorded.header.iter().skip(AT).filter(is_compared).chain(new) {
            // A note gives the value that a lesson plots its own name.
            let is_here = here.header.contains(name) || table::is_count(name);
            let value = |data: &Data, row: &[String], name: &str| match cell(data, row, name) {
                "" if table::is_count(name) && counted(data) => "0".to_owned(),
                cell => cell.to_owned(),
            };
            let was = value(recorded, old, name);
            let is = value(here, row, if is_here { name } else { sweep::VALUE });
            if was.is_empty() {
                continue;
            }
            let is_time = name == TIME[0];
            if is.is_empty() || is == SKIPPED {
                found.missing += 1;
            } else if was == is || is_time && meets((recorded, old), (here, row)) {
                found.equal += 1;
            } else {
                let ratio = is.parse().ok().zip(was.parse().ok()).map(|(is, was): (f64, f64)| is / was);
                found.differs.push(Difference {
                    at: at.clone(),
                    kernel: kernel.clone(),
                    what: name.clone(),
                    recorded: was,
                    here: is,
                    ratio: ratio.filter(|ratio| ratio.is_finite() && *ratio > 0.0),
                    is_count: is_here && !is_time,
                });
            }
        }
    }
    found
}

/// Whether a table has counts of a trace.
fn counted(data: &Data) -> bool {
    data.header.iter().any(|name| table::is_count(name))
}

/// Whether the spreads of two times meet.
fn meets((recorded, old): (&Data, &[String]), (here, row): (&Data, &[String])) -> bool {
    let number = |data, row, name| cell(data, row, name).parse::<f64>().ok();
    let spread = |data, row| Some((number(data, row, TIME[1])?, number(data, row, TIME[2])?));
    let both = spread(recorded, old).zip(spread(here, row));
    both.is_some_and(|((low, high), (from, to))| low <= to && from <= high)
}

fn cell<'a>(data: &Data, row: &'a [String], name: &str) -> &'a str {
    let column = data.header.iter().position(|column| column == name);
    column.and_then(|column| row.get(column)).map_or("", String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(rows: &[[&str; 7]]) -> Data {
        let header = ["n", "kernel", "ok", "median_s", "p10_s", "p90_s", "load_sectors"];
        let owned = |row: &[&str; 7]| row.map(ToOwned::to_owned).to_vec();
        Data { header: owned(&header), rows: rows.iter().map(owned).collect() }
    }

    #[test]
    fn counts_differ_by_any_amount_and_times_beyond_their_spread() {
        let recorded = data(&[
            ["1", "a", "true", "1e-6", "0.9e-6", "1.1e-6", "8"],
            ["2", "a", "true", "2e-6", "1.9e-6", "2.1e-6", "16"],
            ["2", "b", "true", "2e-6", "1.9e-6", "2.1e-6", "16"],
        ]);
        let here = data(&[
            ["1", "a", "true", "1.15e-6", "1.05e-6", "1.2e-6", "8"],
            ["2", "a", "true", "4e-6", "3.9e-6", "4.1e-6", "17"],
            ["2", "b", "skipped", "2e-6", "1.9e-6", "2.1e-6", "16"],
        ]);
        let found = compare(&recorded, &here);
        assert_eq!((found.equal, found.missing), (6, 1));
        let differs: Vec<_> = found.differs.iter().map(|d| (d.what.as_str(), d.is_count, d.ratio)).collect();
        assert_eq!(differs, [("median_s", false, Some(2.0)), ("load_sectors", true, Some(17.0 / 16.0))]);
    }

    #[test]
    fn a_plotted_value_has_the_lessons_name_in_a_note() {
        let [recorded, here] = [("error", "0.5"), (sweep::VALUE, "0.25")].map(|(value, is)| Data {
            header: ["n", "kernel", "ok", value].map(str::to_owned).to_vec(),
            rows: vec![["1", "a", "true", is].map(str::to_owned).to_vec()],
        });
        let found = compare(&recorded, &here);
        assert_eq!((found.equal, found.missing), (1, 0));
        assert_eq!((found.differs[0].what.as_str(), found.differs[0].ratio), ("error", Some(0.5)));
    }

    #[test]
    fn a_count_that_is_0_has_no_column() {
        let table = |counts: &[(&str, &str)]| Data {
            header: ["pass", "kernel"].into_iter().chain(counts.iter().map(|of| of.0)).map(str::to_owned).collect(),
            rows: vec![["1", "a"].into_iter().chain(counts.iter().map(|of| of.1)).map(str::to_owned).collect()],
        };
        let (clean, conflicts) = (table(&[("barriers", "2")]), table(&[("barriers", "2"), ("bank conflicts", "3")]));
        let found = [compare(&clean, &conflicts), compare(&conflicts, &clean)];
        let values = found.map(|found| (found.equal, found.differs[0].recorded.clone(), found.differs[0].here.clone()));
        assert_eq!(values, [(1, "0".to_owned(), "3".to_owned()), (1, "3".to_owned(), "0".to_owned())]);
        // Times alone say nothing of counts.
        let timed = table(&[("median_s", "1e-6")]);
        assert_eq!(compare(&timed, &clean), Compared { missing: 1, ..Compared::default() });
        assert_eq!(compare(&clean, &timed), Compared { missing: 1, ..Compared::default() });
    }

    #[test]
    fn a_machine_without_a_clock_lacks_the_times() {
        let recorded = data(&[["1", "a", "true", "1e-6", "0.9e-6", "1.1e-6", ""]]);
        let here = data(&[["1", "a", "true", "", "", "", "8"]]);
        assert_eq!(compare(&recorded, &here), Compared { equal: 1, differs: Vec::new(), missing: 1 });
    }
}
