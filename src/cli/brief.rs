//! A trace in at most 40 lines, for people and programs that edit kernels.

use super::out;
use crate::base::diag::{Diagnostic, Place};
use crate::base::parts::in_part;
use crate::base::units::{count, counted, digits3, figure};
use crate::machine::MachineCode;
use crate::session::run::model::Predicted;
use crate::session::run::shader_file::Outcome;
use crate::trace::counters::LINE_COUNTERS;
use crate::trace::{Finding, LineCounts, NoteKind, Trace};

/// Findings, notes and lines that are shown at most.
const FINDINGS: usize = 10;
const NOTES: usize = 4;
const LINES: usize = 8;

/// The summary of a trace of `target`.
pub(super) fn lines(target: &str, outcome: &Outcome, trace: &Trace, predicted: Option<&Predicted>) -> Vec<String> {
    let (source, file) = (outcome.text(), outcome.file(target));
    let mut lines = vec![verdict(trace)];
    let found = trace.findings.iter().map(|finding| finding_words(finding, file, &source));
    extend(&mut lines, found.collect(), FINDINGS);
    let remarks = trace.notes.iter().filter(|note| note.kind != NoteKind::Printed);
    let remark = |(line, message): (u32, &str)| format!("{}: note: {message}", place(file, &source, line));
    extend(&mut lines, remarks.map(|note| remark((note.line, &note.message))).collect(), NOTES);
    lines.push(format!(
        "{}, {}, {}; branches: {} executed, {} divergent",
        counted(trace.warps, "warp"),
        counted(trace.warp_instructions, "warp instruction"),
        counted(trace.barriers, "barrier"),
        count(trace.branches.executed),
        count(trace.branches.divergent)
    ));
    lines.extend(memory(trace));
    lines.extend(outcome.machine_code.as_ref().map(MachineCode::words));
    if let Some(predicted) = predicted {
        let time = predicted.time_words().map(|time| format!("predicted for {}: {time}", predicted.device.short));
        let bound = predicted.bound_by().map(|bound| format!("bound by {}", bound.name()));
        let words: Vec<String> = [time, bound, predicted.occupancy_words()].into_iter().flatten().collect();
        lines.extend((!words.is_empty()).then(|| words.join(", ")));
    }
    let heaviest = heaviest(trace);
    lines.extend((!heaviest.is_empty()).then(|| "lines that do most:".to_owned()));
    let texts: Vec<&str> = source.lines().collect();
    lines.extend(heaviest.iter().map(|counts| {
        let text = counts.line.checked_sub(1).and_then(|at| texts.get(at as usize)).map_or("", |text| text.trim());
        out::cut(&format!("{}: {}  {text}", place(file, &source, counts.line), work(counts)))
    }));
    lines
}

/// Whether something was found, and whether the trace ended.
fn verdict(trace: &Trace) -> String {
    let found = match trace.findings.len() {
        0 => "ok: nothing is wrong".to_owned(),
        number => counted(number as u64, "finding"),
    };
    if trace.complete { found } else { format!("{found}; the trace does not cover the whole grid") }
}

/// A finding with its place as compilers write it.
pub(super) fn finding_words(finding: &Finding, file: &str, source: &str) -> String {
    finding.diagnostic(file, source).to_string()
}

/// The place of a line as compilers write it.
fn place(file: &str, source: &str, line: u32) -> String {
    let place = Place::start(file);
    let placed = in_part(Diagnostic::error("").in_place(&Place { line, ..place }), source);
    placed.place.map_or_else(String::new, |place| format!("{}:{}", place.file, place.line))
}

fn extend(lines: &mut Vec<String>, found: Vec<String>, most: usize) {
    let left = found.len().saturating_sub(most);
    lines.extend(found.into_iter().take(most));
    lines.extend((left > 0).then(|| format!("… and {left} more")));
}

fn memory(trace: &Trace) -> Vec<String> {
    let global = [("load", &trace.global.load), ("store", &trace.global.store), ("atomic", &trace.global.atomic)];
    let shared = [("load", &trace.shared.load), ("store", &trace.shared.store), ("atomic", &trace.shared.atomic)];
    #[expect(clippy::cast_precision_loss, reason = "a figure of three digits")]
    let per = |of: u64, requests: u64| digits3(of as f64 / requests as f64);
    let of_global = global.into_iter().filter(|(_, counts)| counts.requests > 0).map(|(name, counts)| {
        format!(
            "global {name}: {} requests, {} sectors ({} a request), {} bytes asked for, {} of the sectors' bytes",
            count(counts.requests),
            count(counts.sectors),
            per(counts.sectors, counts.requests),
            count(counts.bytes),
            used(counts.bytes, counts.sectors)
        )
    });
    let of_shared = shared.into_iter().filter(|(_, counts)| counts.requests > 0).map(|(name, counts)| {
        let (requests, conflicts) = (count(counts.requests), count(counts.conflicts));
        format!("shared {name}: {requests} requests, {} wavefronts, {conflicts} conflicts", count(counts.wavefronts))
    });
    of_global.chain(of_shared).collect()
}

/// The bytes that lanes ask for per byte of the sectors, which is above 1 where lanes share bytes.
fn used(bytes: u64, sectors: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a percentage of three digits")]
    let share = bytes as f64 / (sectors as f64 * 32.0);
    figure(share, "%")
}

/// The lines with the largest share of a counter, the largest first.
fn heaviest(trace: &Trace) -> Vec<&LineCounts> {
    let totals = LINE_COUNTERS.map(|counter| trace.lines.iter().map(|line| (counter.of)(line)).sum::<u64>().max(1));
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = |line: &LineCounts| {
        let shares = LINE_COUNTERS.iter().zip(totals).map(|(counter, total)| (counter.of)(line) as f64 / total as f64);
        shares.fold(0.0, f64::max)
    };
    let mut lines: Vec<&LineCounts> = trace.lines.iter().filter(|line| line.line > 0).collect();
    lines.sort_by(|a, b| share(b).total_cmp(&share(a)));
    lines.truncate(LINES);
    lines
}

/// The counts of a line that are not 0.
fn work(counts: &LineCounts) -> String {
    let some = LINE_COUNTERS.iter().filter(|counter| (counter.of)(counts) > 0);
    some.map(|counter| format!("{} {}", count((counter.of)(counts)), counter.short)).collect::<Vec<_>>().join(", ")
}
