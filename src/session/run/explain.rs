//! The origin (provenance) of a buffer's element: computed for a job, and described in words.

use std::sync::atomic::AtomicBool;

use super::origin::origin;
use crate::base::diag::Diagnostic;
use crate::base::units::count;
use crate::job::Job;
use crate::trace::AccessKind;
use crate::trace::provenance::{Group, Iteration, Load, Origin, Role, Run, Writer, Writing, groups};

/// Loads that are described one by one, at most; more are grouped by line.
const FEW: usize = 4;

/// The origin of element `index` of `buffer`, when `job` runs in the tracer.
pub fn explain(job: &Job, buffer: &str, index: u64, cancel: &AtomicBool) -> Result<Origin, Vec<Diagnostic>> {
    origin(job, buffer, index, cancel).map_err(|problem| vec![problem])
}

/// An origin in sentences: the element, its writer, its sources; then the same for each source, indented one step
/// further.
#[must_use]
pub fn told(origin: &Origin) -> Vec<String> {
    let element = &origin.element;
    let mut lines = vec![format!("{}[{}] = {}", element.buffer, element.index, element.value)];
    match (&origin.by, &element.writer) {
        (None, _) => lines.push("No lane wrote it: it holds its value from before the run.".to_owned()),
        (Some(by), None) if by.kernel.is_none() => {
            lines.push(format!("{} by the pass {}", moved(origin), told_pass(by)))
        }
        (Some(_), None) => {}
        (Some(by), Some(writer)) => {
            let alone = by.kernel.as_deref() == Some(by.pass.as_str()) && by.launches == 1;
            let of = if alone { String::new() } else { format!(", in the pass {}", told_pass(by)) };
            lines.push(told_writer(writer) + &of);
            for (role, prefix) in ROLES {
                let loads: Vec<Load> = writer.loads.iter().filter(|l| l.role == role).cloned().collect();
                if loads.len() > FEW {
                    lines.extend(groups(&loads).iter().map(|group| format!("{prefix} {}", told_group(group))));
                } else {
                    lines.extend(loads.iter().map(|load| format!("{prefix} {}", told_load(load))));
                }
            }
            lines.extend(groups(&writer.through).iter().map(|g| format!("passed through {}", told_group(g))));
            lines.extend(told_rest(writer));
        }
    }
    if origin.not_followed > 0 {
        lines.push(format!("{} elements that it was made of are not followed further", count(origin.not_followed)));
    }
    for from in &origin.from {
        lines.extend(told(from).into_iter().map(|line| format!("  {line}")));
    }
    lines
}

/// The roles of loads, and how a sentence about each begins.
pub const ROLES: [(Role, &str); 3] =
    [(Role::Value, "from"), (Role::Index, "at a place given by"), (Role::Condition, "decided by")];

/// Describes a pass without a kernel.
fn moved(origin: &Origin) -> String {
    match origin.from.first() {
        Some(from) => format!("copied from {}[{}]", from.element.buffer, from.element.index),
        None => "copied or filled".to_owned(),
    }
}

/// A pass, and which of its launches.
#[must_use]
pub fn told_pass(by: &Writing) -> String {
    if by.launches == 1 {
        by.pass.clone()
    } else {
        format!("{} (launch {} of {})", by.pass, by.launch + 1, by.launches)
    }
}

/// The writing lane, its place, and the number of writes.
fn told_writer(writer: &Writer) -> String {
    let [x, y, z] = writer.workgroup_id;
    let [i, j, k] = writer.local_id;
    let how = match writer.kind {
        AccessKind::Atomic => "changed by an atomic",
        AccessKind::Store | AccessKind::Load => "written",
    };
    let mut text = format!(
        "{how} at line {}{} by lane {} of warp {}, local id ({i}, {j}, {k}), workgroup {} ({x}, {y}, {z})",
        writer.line,
        aside(&writer.iterations),
        writer.lane,
        writer.warp,
        writer.workgroup,
    );
    if writer.writes > 1 {
        text.push_str(&format!("; the last of {} writes", count(writer.writes)));
    }
    text
}

fn told_load(load: &Load) -> String {
    let Load { buffer, index, value, line, lane, warp, .. } = load;
    let rounds = aside(&load.iterations);
    let stored =
        load.stored_by.map(|by| format!(", stored at line {} by lane {} of warp {}", by.line, by.lane, by.warp));
    let stored = stored.unwrap_or_default();
    format!("{buffer}[{index}] = {value}, loaded at line {line}{rounds} by lane {lane} of warp {warp}{stored}")
}

/// Several loads at one line.
fn told_group(group: &Group<'_>) -> String {
    let loads = if group.loads == 1 { "1 load".to_owned() } else { format!("{} loads", count(group.loads as u64)) };
    format!("{}[{}]: {loads} at line {}", group.buffer, told_runs(&group.runs), group.line)
}

/// The elements of some runs: `3, 4 … 18`.
#[must_use]
pub fn told_runs(runs: &[Run]) -> String {
    const SHOWN: usize = 3;
    let one = |run: &Run| match run.count {
        1 => run.first.to_string(),
        2 => format!("{}, {}", run.first, run.first + run.step),
        n => format!("{}, {} … {}", run.first, run.first + run.step, run.first + run.step * (n - 1)),
    };
    let mut words: Vec<String> = runs.iter().take(SHOWN).map(one).collect();
    let left: u64 = runs.iter().skip(SHOWN).map(|run| run.count).sum();
    if left > 0 {
        words.push(format!("and {} more", count(left)));
    }
    words.join(", ")
}

/// The value's other inputs, and what is missing from the description.
#[must_use]
pub fn told_rest(writer: &Writer) -> Vec<String> {
    let mut lines = Vec::new();
    let from_loads = writer.loads.iter().any(|l| l.role != Role::Index);
    if !writer.builtins.is_empty() {
        lines.push(format!("computed with {}", writer.builtins.join(", ")));
    } else if !from_loads && writer.complete {
        lines.push("from no load".to_owned());
    }
    if writer.kind == AccessKind::Atomic {
        lines.push("on top of what the element held before: its other writers are counted, not followed".to_owned());
    }
    if writer.omitted > 0 {
        lines.push(format!("{} earlier loads are not listed", count(writer.omitted)));
    }
    if !writer.complete {
        lines.push("what the workgroup did first was too much to keep: loads of that part are missing".to_owned());
    }
    lines
}

/// [`rounds`] in the middle of a sentence.
fn aside(iterations: &[Iteration]) -> String {
    let rounds = rounds(iterations);
    if rounds.is_empty() { rounds } else { format!("{rounds},") }
}

/// Rounds of loops, counted from 0, as the continuation of a sentence.
#[must_use]
pub fn rounds(iterations: &[Iteration]) -> String {
    let each = iterations.iter().map(|i| format!(", round {} of the loop at line {}", i.round, i.line));
    each.collect()
}
