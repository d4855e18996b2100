//! A sweep that a note recorded beside the same sweep now: what is equal, and what differs by how much.

use serde::Serialize;

use crate::notes::read::Data;

/// The columns that a point is identified by, and those that are compared: counts exactly, times by their spread.
const AT: [usize; 2] = [0, 1];
const COUNTS: [&str; 3] = ["ok", "load_sectors", "store_sectors"];
const TIMES: [[&str; 3]; 1] = [["median_s", "p10_s", "p90_s"]];

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

/// Compares the rows of a sweep with those that a note recorded. Rows of kernels that `here` has not are left to other sweeps.
#[must_use]
pub fn compare(recorded: &Data, here: &Data) -> Compared {
    let mut found = Compared::default();
    for row in &here.rows {
        let key = |row: &[String]| AT.map(|column| row.get(column).cloned().unwrap_or_default());
        let [at, kernel] = key(row);
        let Some(old) = recorded.rows.iter().find(|old| key(old) == [at.clone(), kernel.clone()]) else { continue };
        let then = |name: &str| cell(recorded, old, name);
        let now = |name: &str| cell(here, row, name);
        let counts = COUNTS.map(|name| (name, true));
        for (name, is_count) in counts.into_iter().chain(TIMES.map(|[name, ..]| (name, false))) {
            let (was, is) = (then(name), now(name));
            if was.is_empty() {
                continue;
            }
            let meets = || {
                let [_, low, high] = TIMES.into_iter().find(|[time, ..]| *time == name)?;
                let number = |text: &str| text.parse::<f64>().ok();
                Some(number(then(low))? <= number(now(high))? && number(now(low))? <= number(then(high))?)
            };
            if is.is_empty() || is == SKIPPED {
                found.missing += 1;
            } else if was == is || (!is_count && meets() == Some(true)) {
                found.equal += 1;
            } else {
                let ratio = || Some(is.parse::<f64>().ok()? / was.parse::<f64>().ok().filter(|was| *was > 0.0)?);
                found.differs.push(Difference {
                    at: at.clone(),
                    kernel: kernel.clone(),
                    what: name.to_owned(),
                    recorded: was.to_owned(),
                    here: is.to_owned(),
                    ratio: ratio().filter(|ratio| *ratio > 0.0),
                    is_count,
                });
            }
        }
    }
    found
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
        assert_eq!(differs, [("load_sectors", true, Some(17.0 / 16.0)), ("median_s", false, Some(2.0))]);
    }

    #[test]
    fn a_machine_without_a_clock_lacks_the_times() {
        let recorded = data(&[["1", "a", "true", "1e-6", "0.9e-6", "1.1e-6", ""]]);
        let here = data(&[["1", "a", "true", "", "", "", "8"]]);
        assert_eq!(compare(&recorded, &here), Compared { equal: 1, differs: Vec::new(), missing: 1 });
    }
}
