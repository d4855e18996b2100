//! `warpbook assert`

use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;

use super::annotations::{Annotation, github, write_sarif};
use super::args::AssertArgs;
use super::{Context, DONE, FAILED, MISUSED, out, target};
use crate::base::diag::{Diagnostic, Place};
use crate::base::expr::Expr;
use crate::base::parts::in_part;
use crate::base::store;
use crate::base::xml::escape;
use crate::session::run::asserted::{self, Asserted, Figures};
use crate::session::run::model;
use crate::session::run::shader_file::TraceOptions;
use crate::trace::counters::LINE_COUNTERS;
use crate::trace::{FINDINGS, Trace};

pub(super) fn assert(context: &Context, args: &AssertArgs) -> Result<ExitCode, ExitCode> {
    let conditions = args.conditions.iter().map(|text| asserted::condition(text));
    let conditions = conditions.collect::<Result<Vec<Expr>, Diagnostic>>().map_err(out::misused)?;
    let models = context.models();
    let chosen = target::device(&models, &args.setting)?;
    let caches = chosen.and_then(|chosen| model::caches(chosen.spec, false));
    let options = TraceOptions { caches, ..args.setting.options() };
    let outcome = target::traced(context, &args.target, &options)?;
    let Some(trace) = outcome.trace() else { return Err(MISUSED.into()) };
    let mut figures = Figures::of(&trace);
    if let Some(predicted) = chosen.and_then(|chosen| outcome.predicted(&chosen)) {
        let point_s = predicted.point.as_ref().map(|point| point.point_s);
        let times = [("time", point_s), ("predicted_low", predicted.low_s), ("predicted_high", predicted.high_s)];
        times.into_iter().for_each(|(name, time)| time.into_iter().for_each(|time| figures.set(name, time)));
        let held = predicted.occupancy.as_ref().and_then(|occupancy| occupancy.fraction);
        held.into_iter().for_each(|fraction| figures.set("occupancy", fraction));
    }
    outcome.machine_code.iter().for_each(|code| figures.set_machine_code(code));
    let judged = conditions.iter().map(|condition| asserted::holds(condition, &figures));
    let judged = judged.collect::<Result<Vec<Asserted>, Diagnostic>>().map_err(out::misused)?;
    if args.json {
        out::json(&Output { target: &args.target, complete: trace.complete, conditions: &judged });
    } else {
        judged.iter().for_each(|asserted| out::line(&asserted.words()));
    }
    for finding in &trace.findings {
        out::note(&finding.diagnostic(outcome.file(&args.target), &outcome.text()).to_string());
    }
    let asks =
        conditions.iter().any(|condition| condition.names().iter().any(|(name, _)| asserted::is_of_findings(name)));
    if !trace.findings.is_empty() && !asks {
        out::note("note: no condition asks for these findings; 'findings == 0' fails on them");
    }
    if !trace.complete {
        out::problems(&[Diagnostic::error(
            "the trace does not cover the whole grid, so no condition is known to hold",
        )
        .hint("see the findings; a smaller grid may end")]);
    }
    if let Some(file) = &args.junit {
        write_junit(file, &args.target, &judged, trace.complete).map_err(out::misused)?;
    }
    let annotations = annotations(outcome.file(&args.target), &outcome.text(), &trace, conditions.iter().zip(&judged));
    if let Some(file) = &args.sarif {
        write_sarif(file, &annotations).map_err(out::misused)?;
    }
    if args.github {
        annotations.iter().for_each(|annotation| out::line(&github(annotation)));
    }
    Ok(if trace.complete && judged.iter().all(|asserted| asserted.holds) { DONE } else { FAILED })
}

/// Failed conditions and findings, each at a line. A condition that names findings fails at each of them, another one at the line that has
/// most of what it counts.
fn annotations<'a>(
    file: &str,
    text: &str,
    trace: &Trace,
    judged: impl Iterator<Item = (&'a Expr, &'a Asserted)>,
) -> Vec<Annotation> {
    let failed: Vec<(&Expr, &Asserted)> = judged.filter(|(_, asserted)| !asserted.holds).collect();
    let names =
        |condition: &Expr, kind: &str| condition.names().iter().any(|(name, _)| *name == kind || *name == "findings");
    let of_findings = trace.findings.iter().filter_map(|finding| {
        let kind = FINDINGS.iter().find(|of| of.kind == finding.kind)?.name;
        let fails = failed.iter().any(|(condition, _)| names(condition, kind));
        let place = finding.diagnostic(file, text).place?;
        Some(Annotation { rule: kind.to_owned(), message: finding.message.clone(), place, fails })
    });
    let is_of_findings = |condition: &Expr| condition.names().iter().all(|(name, _)| asserted::is_of_findings(name));
    let of_counts = failed.iter().filter(|(condition, _)| !is_of_findings(condition)).map(|(condition, asserted)| {
        let counter =
            LINE_COUNTERS.iter().find(|counter| condition.names().iter().any(|(name, _)| name.contains(counter.short)));
        let most = counter.and_then(|counter| trace.lines.iter().max_by_key(|line| (counter.of)(line)));
        // A figure that has no lines, such as registers, is placed at the kernel's first line.
        let first = || trace.lines.iter().map(|line| line.line).filter(|line| *line > 0).min();
        let line = most.map(|line| line.line).filter(|line| *line > 0).or_else(first).unwrap_or(1);
        let place = Place { line, ..Place::start(file) };
        let place = in_part(Diagnostic::error("").in_place(&place), text).place.unwrap_or(place);
        Annotation { rule: asserted.condition.clone(), message: asserted.words(), place, fails: true }
    });
    of_counts.chain(of_findings).collect()
}

/// The JSON output.
#[derive(Serialize)]
struct Output<'a> {
    target: &'a str,
    /// Whether the trace covers the whole grid.
    complete: bool,
    conditions: &'a [Asserted],
}

/// Writes a test suite of the target with a case for each condition.
fn write_junit(file: &Path, target: &str, judged: &[Asserted], complete: bool) -> Result<(), Diagnostic> {
    let passes = |asserted: &Asserted| complete && asserted.holds;
    let failures = judged.iter().filter(|asserted| !passes(asserted)).count();
    let cases: String = judged
        .iter()
        .map(|asserted| {
            let head = format!("  <testcase classname=\"{}\" name=\"{}\"", escape(target), escape(&asserted.condition));
            let words = if complete { asserted.words() } else { "the trace does not cover the whole grid".to_owned() };
            match passes(asserted) {
                true => format!("{head}/>\n"),
                false => format!("{head}>\n    <failure message=\"{}\"/>\n  </testcase>\n", escape(&words)),
            }
        })
        .collect();
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\">\n{cases}</testsuite>\n",
        escape(target),
        judged.len()
    );
    store::write_atomic(file, text.as_bytes())
}
