//! `warpbook trace`

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use serde::Serialize;

use super::args::TraceArgs;
use super::machine::{self, Machine};
use super::run::print;
use super::{Context, DONE, FAILED, MISUSED, brief, out, predicted, target, watch};
use crate::base::diag::Diagnostic;
use crate::base::parts::{self, Places};
use crate::base::store::write_atomic;
use crate::base::units::{count, counted, digits3, figure, si};
use crate::figures;
use crate::figures::moving::{EVENT_S, moving};
use crate::job::Job;
use crate::session::run::computes::Computes;
use crate::session::run::explain;
use crate::session::run::model::{self, Predicted};
use crate::session::run::output::Printed;
use crate::session::run::shader_file::Outcome;
use crate::session::run::whole::{Whole, whole};
use crate::trace::counters::{LINE_COUNTERS, LineCounter};
use crate::trace::provenance::Origin;
use crate::trace::{CacheCounts, NoteKind, PassRecord, Record, Trace, Unwritten};

/// The size of a film, in points.
const FILM: [f32; 2] = [720.0, 400.0];

pub(super) fn trace(context: &Context, args: &TraceArgs) -> Result<ExitCode, ExitCode> {
    if args.watch {
        return watch::watch(context, args);
    }
    let mut options = args.setting.options();
    options.explain.clone_from(&args.explain);
    options.io = args.out.io(options.io.inputs);
    options.events = args.film.is_some();
    let models = context.models();
    let chosen = target::device(&models, &args.setting)?;
    options.caches = chosen.and_then(|chosen| model::caches(chosen.spec, false));
    let outcome = target::traced(context, &args.target, &options)?;
    let (record, pass) = (&outcome.done.record, outcome.pass);
    let Some(trace) = outcome.trace() else { return Err(MISUSED.into()) };
    let predicted = chosen.and_then(|chosen| outcome.predicted(&chosen));
    let program = chosen
        .filter(|_| pass.is_none())
        .map(|chosen| whole((&outcome.done.job, &outcome.done.record), None, false, &chosen));
    let printed = options.io.printed(&outcome.done);
    let source = pass.map_or_else(Arc::default, |place| text(&outcome.done.job, place));
    if args.brief {
        brief::lines(&args.target, &outcome, &trace, predicted.as_ref()).iter().for_each(|line| out::line(line));
        printed.iter().for_each(print);
        return Ok(if trace.findings.is_empty() && trace.complete { DONE } else { FAILED });
    }
    let listing = match args.sass {
        true => Some(outcome.listing().map_err(out::failed)?),
        false if args.json => outcome.listing().ok(),
        false => None,
    };
    if args.json {
        let machine = Machine::of(&outcome, predicted.as_ref(), listing.as_deref(), args.sass);
        let provenance = (!args.explain.is_empty()).then_some(outcome.origins.as_slice());
        let passes = pass.is_none().then(|| {
            let passes = record.passes.iter().enumerate();
            passes.map(|(place, pass)| Pass::of(pass, outcome.computes.get(place))).collect()
        });
        let parts = Part::of(&source);
        out::json(&Output {
            trace: &trace,
            machine: machine.as_ref(),
            unwritten: &record.unwritten,
            parts,
            passes,
            predicted,
            predicted_program: program.as_ref().and_then(|whole| whole.as_ref().ok()),
            provenance,
            printed,
        });
    } else {
        if pass.is_none() {
            show_passes(record);
            show_computed(record, &outcome.computes);
        }
        match &program {
            Some(Ok(whole)) => predicted::show_program(whole),
            Some(Err(why)) => out::line(&format!("no time is predicted: {why}")),
            None => {}
        }
        show(&trace, &source);
        outcome.machine_code.iter().for_each(|code| out::line(&code.words()));
        if let Some(predicted) = &predicted {
            predicted::show(predicted);
        }
        if let Some(listing) = &listing {
            machine::show_listing(listing, &source);
        }
        printed.iter().for_each(print);
        outcome.origins.iter().for_each(show_origin);
    }
    if let Some(path) = &args.film {
        film(&outcome, path).map_err(out::failed)?;
    }
    record.unwritten.iter().for_each(|left| out::note(&format!("note: {}", left.words("--grid"))));
    let meant = |place: usize| pass.is_none_or(|pass| pass == place);
    let findings: Vec<_> = record.findings().filter(|(place, _)| meant(*place)).collect();
    let texts: BTreeMap<usize, Arc<str>> =
        findings.iter().map(|(place, _)| (*place, text(&outcome.done.job, *place))).collect();
    let places: BTreeMap<usize, Places<'_>> = texts.iter().map(|(place, text)| (*place, Places::of(text))).collect();
    for (place, finding) in &findings {
        let of = if pass.is_none() { format!("{}: ", record.passes[*place].id) } else { String::new() };
        let line = places[place].line_name(finding.line);
        out::note(&format!("{of}line {line}: {}", finding.message));
    }
    let places = Places::of(&source);
    for note in &trace.notes {
        let what = if note.kind == NoteKind::Printed { "prints" } else { "note" };
        out::note(&format!("line {}: {what}: {}", places.line_name(note.line), note.message.trim_end()));
    }
    Ok(if findings.is_empty() && trace.complete { DONE } else { FAILED })
}

/// Writes the events of the first warp as a picture that moves.
fn film(outcome: &Outcome, path: &Path) -> Result<(), Diagnostic> {
    let pass = outcome.pass.and_then(|place| outcome.done.record.pass(place));
    let Some(timeline) = pass.and_then(|pass| pass.timeline.clone()) else {
        let problem = Diagnostic::error("the events of a whole program are no single picture");
        return Err(problem.hint("name one of its passes: LESSON/PROGRAM/PASS"));
    };
    write_atomic(path, moving(&figures::first_events(&Arc::new(timeline), FILM), 0, EVENT_S).as_bytes())
}

/// The text of a pass's kernel, with its parts.
fn text(job: &Job, place: usize) -> Arc<str> {
    let launch = job.passes.get(place).and_then(|pass| pass.launch());
    launch.map_or_else(Arc::default, |launch| launch.text().clone())
}

/// The JSON output: the trace, elements of outputs that were never written, where its lines go on in parts of the kernel, a program's
/// passes, a device model's prediction of a pass or of the whole program, and the origins and contents that were asked for.
#[derive(Serialize)]
struct Output<'a> {
    #[serde(flatten)]
    trace: &'a Trace,
    machine: Option<&'a Machine<'a>>,
    unwritten: &'a [Unwritten],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Part<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    passes: Option<Vec<Pass<'a>>>,
    predicted: Option<Predicted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    predicted_program: Option<&'a Whole>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<&'a [Origin]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    printed: Vec<Printed>,
}

/// A part of the kernel, whose lines are counted on from the kernel's own.
#[derive(Serialize)]
struct Part<'a> {
    file: &'a str,
    /// The number that its first line has in the trace.
    first: u32,
    lines: usize,
}

impl<'a> Part<'a> {
    fn of(text: &'a str) -> Vec<Self> {
        let each = parts::parts(text).into_iter();
        each.filter_map(|part| {
            Some(Self { file: part.file?, first: part.before + 1, lines: part.text.lines().count() })
        })
        .collect()
    }
}

/// A pass of a program.
#[derive(Serialize)]
struct Pass<'a> {
    id: &'a str,
    kernel: Option<&'a str>,
    /// Of a compiled model.
    #[serde(skip_serializing_if = "Option::is_none")]
    computes: Option<&'a Computes>,
    launches: u64,
    trace: Option<&'a Trace>,
}

impl<'a> Pass<'a> {
    fn of(pass: &'a PassRecord, computes: Option<&'a Computes>) -> Self {
        let PassRecord { id, kernel, launches, trace, .. } = pass;
        Self { id, kernel: kernel.as_deref(), computes, launches: *launches, trace: trace.as_ref() }
    }
}

fn show_passes(record: &Record) {
    let header = ["pass", "kernel", "launches", "warp instructions", "sectors", "bytes asked"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    rows.extend(record.passes.iter().map(|pass| {
        let of = |count_of: fn(&Trace) -> u64| pass.trace.as_ref().map_or(0, count_of);
        let figures = [of(|t| t.warp_instructions), of(Trace::global_sectors), of(Trace::global_bytes)].map(count);
        let named = [pass.id.clone(), pass.kernel.clone().unwrap_or_else(|| "–".to_owned()), count(pass.launches)];
        named.into_iter().chain(figures).collect()
    }));
    out::table(&rows);
}

/// The counts of a compiled model's passes by its lines. A kernel that was fused from several lines counts once, for all of them.
fn show_computed(record: &Record, computes: &[Computes]) {
    if computes.is_empty() {
        return;
    }
    let name = |of: &Computes| match of.lines.as_slice() {
        [] => of.operations.join(", "),
        lines => lines.iter().map(|at| format!("{}:{}", at.file, at.line)).collect::<Vec<_>>().join(" + "),
    };
    let mut sums: Vec<(String, [u64; 4])> = Vec::new();
    for (pass, computes) in record.passes.iter().zip(computes) {
        let of = |count_of: fn(&Trace) -> u64| pass.trace.as_ref().map_or(0, count_of);
        let figures = [1, of(|t| t.warp_instructions), of(Trace::global_sectors), of(Trace::global_bytes)];
        let name = name(computes);
        match sums.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => sum.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure),
            None => sums.push((name, figures)),
        }
    }
    let header = ["lines of the model", "launches", "warp instructions", "sectors", "bytes asked"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    rows.extend(sums.into_iter().map(|(name, figures)| [name].into_iter().chain(figures.map(count)).collect()));
    out::line("");
    out::table(&rows);
    let lines: BTreeSet<_> = computes.iter().flat_map(|of| &of.lines).collect();
    lines.iter().for_each(|at| out::line(&format!("{}:{}  {}", at.file, at.line, at.code)));
    out::line("");
}

fn show_origin(origin: &Origin) {
    let told = explain::told(origin);
    for (i, text) in told.iter().enumerate() {
        out::line(&if i == 0 { format!("\n{text}") } else { format!("  {text}") });
    }
}

fn show(trace: &Trace, source: &str) {
    out::line(&format!(
        "{}, {}, {}, {}, in {}",
        counted(trace.warps, "warp"),
        counted(trace.warp_instructions, "warp instruction"),
        counted(trace.lane_ops, "lane operation"),
        counted(trace.barriers, "barrier"),
        si(trace.seconds, "s")
    ));
    if let Some(CacheCounts {
        l1_hits, l1_misses, l2_loads, l2_atomics, l2_hits, dram_loads, dram_stores, dirty, ..
    }) = trace.caches
    {
        let share = |part: u64, of: u64| if of == 0 { "–".to_owned() } else { figure(part as f64 / of as f64, "%") };
        out::line(&format!(
            "caches: {} of the loads' sectors in L1, {} of the others in L2; {} from DRAM, {} to it, {} left in L2",
            share(l1_hits, l1_hits + l1_misses),
            share(l2_hits, l2_loads + l2_atomics),
            si(32.0 * dram_loads as f64, "B"),
            si(32.0 * dram_stores as f64, "B"),
            si(32.0 * dirty as f64, "B"),
        ));
    }
    out::line(&format!(
        "branches: {} executed, {} divergent",
        count(trace.branches.executed),
        count(trace.branches.divergent)
    ));
    let mut rows = vec![["global", "requests", "sectors", "bytes asked", "used"].map(str::to_owned).to_vec()];
    for (name, counts) in [("load", trace.global.load), ("store", trace.global.store), ("atomic", trace.global.atomic)]
    {
        if counts.requests > 0 {
            #[expect(clippy::cast_precision_loss, reason = "a percentage of three digits")]
            let used = 100.0 * counts.bytes as f64 / (counts.sectors as f64 * 32.0);
            rows.push(vec![
                name.to_owned(),
                count(counts.requests),
                count(counts.sectors),
                count(counts.bytes),
                format!("{used:.1}%"),
            ]);
        }
    }
    out::table(&rows);
    let uniform = trace.uniform.load;
    if uniform.requests > 0 {
        let head = ["uniform", "requests", "passes", "bytes asked"].map(str::to_owned).to_vec();
        let counts = [uniform.requests, uniform.passes, uniform.bytes].map(count);
        out::table(&[head, std::iter::once("load".to_owned()).chain(counts).collect()]);
    }
    let mut rows = vec![["shared", "requests", "wavefronts", "conflicts"].map(str::to_owned).to_vec()];
    for (name, counts) in [("load", trace.shared.load), ("store", trace.shared.store), ("atomic", trace.shared.atomic)]
    {
        if counts.requests > 0 {
            rows.push(vec![name.to_owned(), count(counts.requests), count(counts.wavefronts), count(counts.conflicts)]);
        }
    }
    if rows.len() > 1 {
        out::table(&rows);
    }
    // The lines of several kernels are of several files.
    if trace.lines.is_empty() {
        return;
    }
    let places = Places::of(source);
    let counters: Vec<&LineCounter> = LINE_COUNTERS.iter().filter(|counter| counter.is_in(trace)).collect();
    let headings = counters.iter().map(|counter| counter.heading.to_owned());
    let head = line_row("line".to_owned(), headings, "active lanes".to_owned());
    let rows = trace.lines.iter().map(|line| {
        let counts = counters.iter().map(|counter| count((counter.of)(line)));
        line_row(places.line_name(line.line), counts, digits3(line.active_lanes()))
    });
    out::table(&std::iter::once(head).chain(rows).collect::<Vec<_>>());
}

/// A row of the table of lines: the active lanes are beside the instructions, which come first.
fn line_row(line: String, counts: impl Iterator<Item = String>, active_lanes: String) -> Vec<String> {
    let mut row = vec![line];
    row.extend(counts);
    row.insert(2, active_lanes);
    row
}
