//! The effect of a change to a kernel: differences in its counts over the whole grid, its time, and its lines.

use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::base::units;
use crate::machine::MachineCode;
use crate::trace::counters::{LINE_COUNTERS, compared};
use crate::trace::{LineCounts, Trace};

/// One side of a comparison: a kernel with its counts and time.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// Its text.
    pub source: &'a str,
    /// Its counts.
    pub trace: Option<&'a Trace>,
    /// What its machine code takes.
    pub machine_code: Option<&'a MachineCode>,
    /// Its measured time in seconds: the median, and the range of most samples (p10 to p90).
    pub time_s: Option<(f64, [f64; 2])>,
}

/// A figure before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Its name.
    pub name: &'static str,
    /// Its unit; empty for a count.
    pub unit: &'static str,
    /// Before.
    pub before: Option<f64>,
    /// After.
    pub after: Option<f64>,
    /// Whether samples of both overlap, so that neither is known to be less.
    pub overlaps: bool,
}

/// A line whose text or amount of work has changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The line before.
    pub before: Option<LineSide>,
    /// The line after.
    pub after: Option<LineSide>,
}

/// A line of one of the two kernels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineSide {
    /// Its number, from 1.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// Its counts; None if it runs nothing.
    pub counts: Option<LineCounts>,
}

impl LineSide {
    /// Whether it is blank or a comment, of WGSL, CUDA C++, PTX or Python.
    fn says_nothing(&self) -> bool {
        let text = self.text.trim();
        self.counts.is_none() && (text.is_empty() || text.starts_with("//") || text.starts_with("# "))
    }

    /// Its counts in words.
    #[must_use]
    pub fn work(&self) -> String {
        let Some(counts) = &self.counts else { return "no instruction of its own".to_owned() };
        let said = LINE_COUNTERS.iter().filter(|counter| (counter.of)(counts) > 0);
        said.map(|counter| format!("{} {}", units::count((counter.of)(counts)), counter.short))
            .collect::<Vec<_>>()
            .join(" · ")
    }
}

/// The figures of two kernels, in a fixed order; those that are 0 in both are left out.
#[must_use]
pub fn figures(before: &Side<'_>, after: &Side<'_>) -> Vec<Figure> {
    let overlaps = before.time_s.zip(after.time_s).is_some_and(|((_, [a, b]), (_, [c, d]))| a <= d && c <= b);
    let median = |side: &Side<'_>| side.time_s.map(|(median, _)| median);
    let time = Figure { name: "time", unit: "s", before: median(before), after: median(after), overlaps };
    let [old, new] = [before, after].map(|side| compared(side.trace.unwrap_or(&Trace::default())));
    #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
    let counted = old.into_iter().zip(new).map(|((name, old), (_, new))| Figure {
        name,
        unit: "",
        before: before.trace.map(|_| old as f64),
        after: after.trace.map(|_| new as f64),
        overlaps: false,
    });
    let figure = |name, of: &dyn Fn(&MachineCode) -> u32| {
        let [before, after] = [before, after].map(|side| side.machine_code.map(|code| f64::from(of(code))));
        Figure { name, unit: "", before, after, overlaps: false }
    };
    let of_code = [figure("registers", &|code| code.registers), figure("spilled bytes", &MachineCode::spills)];
    let is_there = |figure: &Figure| [figure.before, figure.after].iter().any(|value| value.is_some_and(|v| v != 0.0));
    std::iter::once(time).chain(counted).chain(of_code).filter(is_there).collect()
}

/// The lines whose text, sectors, conflicts, divergence or instructions have changed.
#[must_use]
pub fn lines(before: &Side<'_>, after: &Side<'_>) -> Vec<Line> {
    let texts: [Vec<&str>; 2] = [before, after].map(|side| side.source.lines().collect());
    let line = |side: usize, index: usize| {
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let trace = [before, after][side].trace;
        let counts = trace.and_then(|trace| trace.lines.iter().find(|counts| counts.line == number)).copied();
        LineSide { line: number, text: texts[side][index].to_owned(), counts }
    };
    let mut found = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &texts[0], &texts[1]) {
        match op {
            DiffOp::Equal { old_index, new_index, len } => {
                for at in 0..len {
                    let (before, after) = (line(0, old_index + at), line(1, new_index + at));
                    if before.counts.map(work) != after.counts.map(work) {
                        found.push(Line { before: Some(before), after: Some(after) });
                    }
                }
            }
            DiffOp::Delete { old_index, old_len, .. } => {
                found.extend((0..old_len).map(|at| Line { before: Some(line(0, old_index + at)), after: None }));
            }
            DiffOp::Insert { new_index, new_len, .. } => {
                found.extend((0..new_len).map(|at| Line { before: None, after: Some(line(1, new_index + at)) }));
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                found.extend((0..old_len.max(new_len)).map(|at| Line {
                    before: (at < old_len).then(|| line(0, old_index + at)),
                    after: (at < new_len).then(|| line(1, new_index + at)),
                }));
            }
        }
    }
    let says_nothing = |line: &Option<LineSide>| line.as_ref().is_none_or(LineSide::says_nothing);
    found.retain(|line| !(says_nothing(&line.before) && says_nothing(&line.after)));
    found
}

/// The counts of a line that are compared.
fn work(counts: LineCounts) -> [u64; LINE_COUNTERS.len()] {
    LINE_COUNTERS.map(|counter| (counter.of)(&counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(lines: &[(u32, u64)]) -> Trace {
        let counts = |&(line, sectors): &(u32, u64)| LineCounts { line, sectors, ..LineCounts::default() };
        let mut trace = Trace { lines: lines.iter().map(counts).collect(), ..Trace::default() };
        trace.global.load.sectors = lines.iter().map(|(_, sectors)| sectors).sum();
        trace
    }

    #[test]
    fn lines_are_matched_across_what_was_put_between_them() {
        let (old, new) = (trace(&[(1, 4), (2, 32)]), trace(&[(2, 4), (3, 4)]));
        let before = Side { source: "a\nload strided\nc", trace: Some(&old), machine_code: None, time_s: None };
        let after = Side {
            source: "new\na\nload straight\nc",
            trace: Some(&new),
            machine_code: None,
            time_s: Some((1e-3, [0.9e-3, 1.2e-3])),
        };
        let told: Vec<(Option<u32>, Option<u32>)> = lines(&before, &after)
            .iter()
            .map(|line| (line.before.as_ref().map(|l| l.line), line.after.as_ref().map(|l| l.line)))
            .collect();
        assert_eq!(told, [(None, Some(1)), (Some(2), Some(3))]);
        let figures = figures(&before, &after);
        assert_eq!(figures.len(), 2);
        assert_eq!((figures[0].name, figures[0].before, figures[0].after), ("time", None, Some(1e-3)));
        assert_eq!((figures[1].name, figures[1].before, figures[1].after), ("load sectors", Some(36.0), Some(8.0)));
    }

    #[test]
    fn times_whose_samples_overlap_are_not_told_apart() {
        let side =
            |median, spread| Side { source: "", trace: None, machine_code: None, time_s: Some((median, spread)) };
        let overlaps = |a: &Side<'_>, b: &Side<'_>| figures(a, b)[0].overlaps;
        assert!(overlaps(&side(4.0, [3.0, 9.0]), &side(8.0, [7.0, 12.0])));
        assert!(!overlaps(&side(4.0, [3.0, 5.0]), &side(8.0, [7.0, 12.0])));
    }

    #[test]
    fn a_line_that_does_more_is_told_though_its_text_is_the_same() {
        let (old, new) = (trace(&[(1, 4)]), trace(&[(1, 32)]));
        let side = |trace| Side { source: "x = a[i];\n", trace: Some(trace), machine_code: None, time_s: None };
        assert_eq!(lines(&side(&old), &side(&new)).len(), 1);
        assert!(lines(&side(&old), &side(&old)).is_empty());
    }
}
