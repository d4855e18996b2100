//! `warpbook run`

use std::process::ExitCode;

use super::args::{RunArgs, RunCommand};
use super::predicted::{heading, show_sum};
use super::together::{self, Role};
use super::{Context, DONE, FAILED, MISUSED, out};
use crate::base::diag::Diagnostic;
use crate::base::units::{count, digits3, figure, number, si};
use crate::device::Occupancy;
use crate::lesson::Pack;
use crate::session::run::io::Io;
use crate::session::run::model::{Predicted, Said};
use crate::session::run::output::{
    CompiledOutput, KernelOutput, LibraryOutput, Printed, ProgramOutput, RunOutput, TimeOutput,
};
use crate::session::run::ranks_run::Together;
use crate::session::run::{self, Ran, RunOptions, Which, ptx};

/// The use-case's options for these arguments.
pub(super) fn options(args: &RunArgs) -> Result<RunOptions, ExitCode> {
    let backend = args.backend.choice();
    Ok(RunOptions {
        which: Which { kernels: args.kernels.clone(), programs: args.programs.clone(), rungs: args.rungs.clone() },
        set: args.set.clone(),
        backend,
        seed: args.seed,
        bounds_checks: !args.unchecked,
        models: Vec::new(),
        device: None,
        warp_width: args.warp,
        language: args.language.language(),
        io: Io::default(),
    })
}

pub(super) fn run(context: &Context, command: &RunCommand) -> Result<ExitCode, ExitCode> {
    let args = &command.run;
    let (device, models) = (command.device.clone(), context.models());
    let io = command.io().map_err(out::misused)?;
    let mut options = RunOptions { device, models, io, ..options(args)? };
    let pack = context.pack()?;
    let together = match together::role(&pack, command, &mut options)? {
        Role::Alone => None,
        Role::Rank(together) => Some(*together),
        Role::Launcher(code) => return Ok(code),
    };
    let reports = together.as_ref().is_none_or(Together::reports);
    let on_outcome = &mut |ran: Ran<'_>, found: &[Diagnostic]| {
        out::problems(found);
        if reports {
            out::note(&ran.words());
        }
    };
    let ran = run::run(&context.devices, &pack, &args.lesson, &options, together, &context.cancel, on_outcome);
    let output = ran.map_err(out::misused)?;
    if !reports {
        // Rank 0 has the same, and says it.
    } else if args.json {
        out::json(&output);
    } else if args.ptx {
        show_ptx(&pack, &output);
    } else {
        show(&pack, &output);
    }
    Ok(match output.ok() {
        _ if output.misused => MISUSED.into(),
        true => DONE,
        false => FAILED,
    })
}

fn show(pack: &Pack, output: &RunOutput) {
    let params: Vec<String> = output.params.iter().map(|(id, v)| format!("{id} = {v}")).collect();
    let on = format!("{} on {} ({})", output.lesson, output.device, output.backend.name());
    out::list([on].into_iter().chain(params));
    if !output.kernels.is_empty() {
        measured(&output.kernels);
        traced(&output.kernels);
    }
    output.programs.iter().for_each(program);
    let printed = output.kernels.iter().flat_map(|kernel| &kernel.printed);
    printed.chain(output.programs.iter().flat_map(|program| &program.printed)).for_each(print);
    for kernel in &output.kernels {
        if let Some(compiled) = &kernel.compiled {
            out::line(&format!("{}: {}", kernel.id, compiled.words()));
        }
    }
    predicted(output);
    for comparison in &output.ladder {
        out::line(&format!("{}: {}", comparison.kernel, comparison.words(&comparison.against)));
    }
    let lesson = pack.lessons.iter().find(|lesson| lesson.id == output.lesson);
    for (id, value) in &output.values {
        let Some(value) = value else { continue };
        let declared = lesson.and_then(|lesson| lesson.values.iter().find(|value| value.id == *id));
        let (unit, label) = declared.map_or(("", ""), |value| (value.unit.as_str(), value.label.as_str()));
        out::line(format!("{id} = {}  {label}", figure(*value, unit)).trim_end());
    }
    out::warnings(&output.warnings);
}

/// Figures of a series that are printed at most; JSON has all.
const SERIES: usize = 8;

/// Prints a program: its whole, its passes, its checks and its series.
fn program(program: &ProgramOutput) {
    let dash = || "–".to_owned();
    let time = |time: &Option<TimeOutput>| time.as_ref().map_or_else(dash, |t| si(t.median_s, "s"));
    let rungs: Vec<String> = program.rungs.iter().map(|(pass, kernel)| format!("{pass}: {kernel}")).collect();
    let rungs = if rungs.is_empty() { String::new() } else { format!(" ({})", rungs.join(", ")) };
    let rounds = if program.rounds == 1 { String::new() } else { format!(", {} rounds", count(program.rounds)) };
    let all = [Some(time(&program.time)), program.bytes_per_s.map(|rate| si(rate, "B/s"))];
    let all: Vec<String> = all.into_iter().flatten().collect();
    out::line(&format!("program {}{rungs}: {}{rounds}, {}", program.id, program.outcome(), all.join(", ")));
    if let Some(whole) = &program.predicted {
        show_sum(whole);
    }
    let predicted = |id: &str| {
        let pass = program.predicted.as_ref()?.passes.iter().find(|pass| pass.id == id)?;
        Some(si(pass.point_s?, "s"))
    };
    let header = [
        "pass",
        "kernel",
        "launches",
        "predicted",
        "median",
        "throughput",
        "load sectors",
        "store sectors",
        "conflicts",
    ];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    rows.extend(program.passes.iter().map(|pass| {
        let trace = pass.trace.as_ref();
        let rate = pass.time.as_ref().map(|t| pass.bytes / t.median_s);
        vec![
            pass.id.clone(),
            pass.kernel.clone().unwrap_or_else(dash),
            count(pass.launches),
            predicted(&pass.id).unwrap_or_else(dash),
            time(&pass.time),
            rate.map_or_else(dash, |rate| si(rate, "B/s")),
            trace.map_or_else(dash, |t| count(t.global.load.sectors)),
            trace.map_or_else(dash, |t| count(t.global.store.sectors)),
            trace.map_or_else(dash, |t| count(t.shared.load.conflicts + t.shared.store.conflicts)),
        ]
    }));
    if rows.len() > 1 {
        out::table(&rows);
    }
    for check in &program.checks {
        let how = if check.ok { "ok" } else { "FAILED" };
        let of = count(check.elements);
        let line =
            format!("  {}: {how}, error {:.1e} in {of}, against {}", check.output, check.max_rel_error, check.against);
        // A formula that failed is printed whole.
        out::line(&if check.ok { out::cut(&line) } else { line });
    }
    for (id, figures) in &program.series {
        let shown = |figures: &[f64]| figures.iter().map(|figure| number(*figure)).collect::<Vec<_>>().join(", ");
        let words = match figures.len() {
            0..=SERIES => shown(figures),
            n => format!(
                "{}, …, {} ({} rounds)",
                shown(&figures[..SERIES - 1]),
                shown(&figures[n - 1..]),
                count(n as u64)
            ),
        };
        out::line(&format!("  {id}: {words}"));
    }
}

/// A part of a buffer.
pub(super) fn print(printed: &Printed) {
    let values: Vec<String> = printed.values.iter().map(f64::to_string).collect();
    out::line(&format!("{}[{}..]: {}", printed.buffer, printed.from, values.join(" ")));
}

/// Each kernel's PTX, with the lines of CUDA C++ that it came from.
fn show_ptx(pack: &Pack, output: &RunOutput) {
    let lesson = pack.lessons.iter().find(|lesson| lesson.id == output.lesson);
    let show = |of: &str, id: &str, compiled: Option<&CompiledOutput>| {
        let twin = lesson.and_then(|lesson| lesson.kernel(id)).and_then(|kernel| kernel.twin());
        match (compiled, twin) {
            (Some(compiled), Some(twin)) => {
                out::line(&format!("// {of}kernel `{id}`, {}", compiled.words()));
                out::line(&ptx::with_source(&compiled.ptx, &twin.source));
            }
            _ => out::note(&format!("{id}: there is no PTX: run it with --backend cuda")),
        }
    };
    for kernel in &output.kernels {
        show("", &kernel.id, kernel.compiled.as_ref());
    }
    for program in &output.programs {
        for pass in &program.passes {
            let of = format!("program `{}`, pass `{}`, ", program.id, pass.id);
            pass.kernel.iter().for_each(|kernel| show(&of, kernel, pass.compiled.as_ref()));
        }
    }
}

/// A library's call, in the columns of the kernel whose work it does.
fn library_row(library: &LibraryOutput) -> Vec<String> {
    let dash = || "–".to_owned();
    let time = library.time.as_ref();
    vec![
        format!("  {}", library.full_name()),
        if library.ok { "ok" } else { "FAILED" }.to_owned(),
        time.map_or_else(dash, |t| si(t.median_s, "s")),
        time.map_or_else(dash, |t| format!("{}–{}", si(t.p10_s, "s"), si(t.p90_s, "s"))),
        time.map_or_else(dash, |t| t.samples.to_string()),
        library.bytes_per_s.map_or_else(dash, |b| si(b, "B/s")),
        dash(),
    ]
}

/// Prints a device model's predictions, and how far they are from the measured times.
fn predicted(output: &RunOutput) {
    let known = output.kernels.iter().filter_map(|kernel| Some((kernel, kernel.predicted.as_ref()?)));
    let known: Vec<(&KernelOutput, &Predicted)> = known.collect();
    let Some((_, first)) = known.first() else { return };
    out::line("");
    out::line(&heading(&first.device));
    let header = ["kernel", "predicted", "bound by", "occupancy", "limited by", "waves", "idle", "error"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    rows.extend(known.iter().map(|(kernel, predicted)| {
        let dash = || "–".to_owned();
        let held = predicted.occupancy.as_ref();
        vec![
            kernel.id.clone(),
            predicted.time_words().unwrap_or_else(dash),
            predicted.bound_by().map_or_else(dash, |bound| bound.name().to_owned()),
            held.and_then(Occupancy::share_words).unwrap_or_else(dash),
            held.map_or_else(dash, |o| o.limited_by.name().to_owned()),
            predicted.waves.map_or_else(dash, |w| digits3(w.waves)),
            predicted.waves.map_or_else(dash, |w| figure(w.idle_share, "%")),
            predicted.error_words().map_or_else(dash, |words| words.replace(" to ", "…")),
        ]
    }));
    if known.iter().all(|(_, predicted)| predicted.error.is_none()) {
        rows.iter_mut().for_each(|row| row.truncate(header.len() - 1));
    }
    out::table(&rows);
    let distinct = |of: fn(&Predicted) -> &[Said]| {
        let mut said: Vec<&str> = Vec::new();
        for text in known.iter().flat_map(|(_, predicted)| of(predicted)).map(|said| said.text.as_str()) {
            if !said.contains(&text) {
                said.push(text);
            }
        }
        said
    };
    distinct(|predicted| &predicted.missing).iter().for_each(|text| out::line(&format!("  {text}")));
    let assumed = distinct(|predicted| &predicted.assumptions).len();
    if assumed > 0 {
        out::line(&format!("  {assumed} assumptions are made for the predicted times: --json lists them."));
    }
}

/// Each kernel's check, and its time beside the library's where anything was timed.
fn measured(kernels: &[KernelOutput]) {
    let is_timed = kernels.iter().any(|kernel| kernel.time.is_some() || kernel.library.is_some());
    let columns = if is_timed { 7 } else { 2 };
    let header = ["kernel", "check", "median", "p10–p90", "n", "throughput", "of ceiling"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for kernel in kernels {
        rows.push(time_row(kernel));
        rows.extend(kernel.library.as_ref().map(library_row));
    }
    rows.iter_mut().for_each(|row| row.truncate(columns));
    out::table(&rows);
}

fn time_row(kernel: &KernelOutput) -> Vec<String> {
    let dash = || "–".to_owned();
    let time = kernel.time.as_ref();
    let check = match (&kernel.check, kernel.ok) {
        (Some(check), Some(true)) if check.elements < check.total => {
            #[expect(clippy::cast_precision_loss, reason = "a share of three digits")]
            let share = check.elements as f64 / check.total as f64;
            format!("ok, error {:.1e} in {}", check.max_rel_error, figure(share, "%"))
        }
        (Some(check), Some(true)) => format!("ok, error {:.1e}", check.max_rel_error),
        _ => kernel.outcome().to_owned(),
    };
    vec![
        kernel.id.clone(),
        check,
        time.map_or_else(dash, |t| si(t.median_s, "s")),
        time.map_or_else(dash, |t| format!("{}–{}", si(t.p10_s, "s"), si(t.p90_s, "s"))),
        time.map_or_else(dash, |t| t.samples.to_string()),
        kernel.bytes_per_s.map_or_else(dash, |b| si(b, "B/s")),
        kernel.roofline.map_or_else(dash, |p| figure(p.fraction, "%")),
    ]
}

/// The tracer's counts, of atomics only where there are any.
fn traced(kernels: &[KernelOutput]) {
    let known: Vec<_> = kernels.iter().filter_map(|kernel| Some((kernel, kernel.trace.as_ref()?))).collect();
    if known.is_empty() {
        return;
    }
    let has_atomics = known.iter().any(|(_, trace)| trace.global.atomic.requests > 0);
    let mut header = vec!["traced", "load sectors", "store sectors", "bank conflicts"];
    header.extend(has_atomics.then_some("atomic sectors"));
    let mut rows = vec![header.into_iter().map(str::to_owned).collect::<Vec<_>>()];
    rows.extend(known.iter().map(|(kernel, trace)| {
        let (global, shared) = (&trace.global, &trace.shared);
        let conflicts = shared.load.conflicts + shared.store.conflicts + shared.atomic.conflicts;
        let mut row = vec![kernel.id.clone()];
        row.extend([global.load.sectors, global.store.sectors, conflicts].map(count));
        row.extend(has_atomics.then(|| count(global.atomic.sectors)));
        row
    }));
    out::line("");
    out::table(&rows);
}
