//! `warpbook run`

use std::process::ExitCode;

use super::args::{RunArgs, RunCommand};
use super::{Context, DONE, FAILED, MISUSED, out};
use crate::base::diag::Diagnostic;
use crate::base::units::{count, digits3, figure, si};
use crate::lesson::Pack;
use crate::session::model::{Modelled, Predicted};
use crate::session::output::{KernelOutput, LibraryOutput, RunOutput};
use crate::session::ptx;
use crate::session::run::{self, RunOptions};

/// The use-case's options behind the arguments.
pub(super) fn options(args: &RunArgs) -> Result<RunOptions, ExitCode> {
    let backend = args.backend.choice();
    Ok(RunOptions {
        kernels: args.kernels.clone(),
        set: args.set.clone(),
        backend,
        seed: args.seed,
        bounds_checks: !args.unchecked,
        models: Vec::new(),
        device: None,
        warp_width: args.warp,
    })
}

pub(super) fn run(context: &Context, command: &RunCommand) -> Result<ExitCode, ExitCode> {
    let args = &command.run;
    let options = RunOptions { device: command.device.clone(), models: context.models(), ..options(args)? };
    let pack = context.pack()?;
    let on_kernel = &mut |kernel: &KernelOutput, found: &[Diagnostic]| {
        out::problems(found);
        out::note(&format!("{}: {}", kernel.id, kernel.outcome()));
    };
    let ran = run::run(&context.devices, &pack, &args.lesson, &options, &context.cancel, on_kernel);
    let output = ran.map_err(out::misused)?;
    if args.json {
        out::json(&output);
    } else if args.ptx {
        show_ptx(&pack, &output);
    } else {
        show(&output);
    }
    Ok(match output.ok() {
        true => DONE,
        false if output.only_impossible() => MISUSED.into(),
        false => FAILED,
    })
}

fn show(output: &RunOutput) {
    let params: Vec<String> = output.params.iter().map(|(id, v)| format!("{id} = {v}")).collect();
    out::line(&format!("{} on {} ({}), {}", output.lesson, output.device, output.backend.name(), params.join(", ")));
    let header = [
        "kernel",
        "check",
        "median",
        "p10–p90",
        "n",
        "throughput",
        "of ceiling",
        "load sectors",
        "store sectors",
        "conflicts",
    ];
    let mut rows = vec![header.iter().map(ToString::to_string).collect()];
    for kernel in &output.kernels {
        rows.push(row(kernel));
        rows.extend(kernel.library.as_ref().map(library_row));
    }
    out::table(&rows);
    for kernel in &output.kernels {
        if let Some(compiled) = &kernel.compiled {
            out::line(&format!("{}: {}", kernel.id, compiled.words()));
        }
    }
    predicted(output);
    for comparison in &output.ladder {
        out::line(&format!("{}: {}", comparison.kernel, comparison.words(&comparison.against)));
    }
    for (id, value) in &output.values {
        if let Some(value) = value {
            out::line(&format!("{id} = {value}"));
        }
    }
    out::warnings(&output.warnings);
}

/// Each kernel's PTX, with the lines of CUDA C++ that it came from.
fn show_ptx(pack: &Pack, output: &RunOutput) {
    let lesson = pack.lessons.iter().find(|lesson| lesson.id == output.lesson);
    for kernel in &output.kernels {
        let twin = lesson.and_then(|lesson| lesson.kernel(&kernel.id)).and_then(|k| k.cuda.as_ref());
        match (&kernel.compiled, twin) {
            (Some(compiled), Some(twin)) => {
                out::line(&format!("// kernel `{}`, {}", kernel.id, compiled.words()));
                out::line(&ptx::with_source(&compiled.ptx, &twin.source));
            }
            _ => out::note(&format!("{}: there is no PTX: run it with --backend cuda", kernel.id)),
        }
    }
}

/// A library's call, in the columns of the kernel whose work it does.
fn library_row(library: &LibraryOutput) -> Vec<String> {
    let dash = || "–".to_owned();
    let time = library.time.as_ref();
    vec![
        format!("  {}", library.words()),
        if library.ok { "ok" } else { "FAILED" }.to_owned(),
        time.map_or_else(dash, |t| si(t.median_s, "s")),
        time.map_or_else(dash, |t| format!("{}–{}", si(t.p10_s, "s"), si(t.p90_s, "s"))),
        time.map_or_else(dash, |t| t.samples.to_string()),
        library.bytes_per_s.map_or_else(dash, |b| si(b, "B/s")),
        dash(),
        dash(),
        dash(),
        dash(),
    ]
}

/// What the model of a device says, beside what was measured.
fn predicted(output: &RunOutput) {
    let known = output.kernels.iter().filter_map(|kernel| Some((kernel, kernel.predicted.as_ref()?)));
    let known: Vec<(&KernelOutput, &Predicted)> = known.collect();
    let Some((_, first)) = known.first() else { return };
    out::line("");
    out::line(&heading(&first.device));
    let header = ["kernel", "predicted", "bound by", "occupancy", "limited by", "waves", "idle", "measured", "error"];
    let mut rows = vec![header.iter().map(ToString::to_string).collect::<Vec<_>>()];
    rows.extend(known.iter().map(|(kernel, predicted)| {
        let dash = || "–".to_owned();
        let held = predicted.occupancy.as_ref();
        vec![
            kernel.id.clone(),
            predicted.time_words().unwrap_or_else(dash),
            predicted.bound.map_or_else(dash, |bound| bound.name().to_owned()),
            held.and_then(|o| o.fraction).map_or_else(dash, |f| figure(f, "%")),
            held.map_or_else(dash, |o| o.limited_by.name().to_owned()),
            predicted.waves.map_or_else(dash, |w| digits3(w.waves)),
            predicted.waves.map_or_else(dash, |w| figure(w.idle_share, "%")),
            kernel.time.as_ref().map_or_else(dash, |t| si(t.median_s, "s")),
            predicted.error_words().unwrap_or_else(dash),
        ]
    }));
    out::table(&rows);
    let mut said: Vec<&str> = Vec::new();
    for (_, predicted) in &known {
        for text in predicted.missing.iter().chain(&predicted.assumptions).map(|s| s.text.as_str()) {
            if !said.contains(&text) {
                said.push(text);
            }
        }
    }
    said.iter().for_each(|text| out::line(&format!("  {text}")));
}

/// Whose prediction it is.
pub(super) fn heading(device: &Modelled) -> String {
    let whose = if device.this_machine { "the device that measures" } else { "a model, not this machine" };
    format!("predicted for {} ({whose}):", device.name)
}

fn row(kernel: &KernelOutput) -> Vec<String> {
    let dash = || "–".to_owned();
    let time = kernel.time.as_ref();
    let trace = kernel.trace.as_ref();
    let check = match (&kernel.check, kernel.ok) {
        (Some(check), true) if check.elements < check.total => {
            format!("ok, error {:.1e} in {} of {}", check.max_rel_error, count(check.elements), count(check.total))
        }
        (Some(check), true) => format!("ok, error {:.1e}", check.max_rel_error),
        (None, true) => "none".to_owned(),
        (_, false) => kernel.outcome().to_owned(),
    };
    vec![
        kernel.id.clone(),
        check,
        time.map_or_else(dash, |t| si(t.median_s, "s")),
        time.map_or_else(dash, |t| format!("{}–{}", si(t.p10_s, "s"), si(t.p90_s, "s"))),
        time.map_or_else(dash, |t| t.samples.to_string()),
        kernel.bytes_per_s.map_or_else(dash, |b| si(b, "B/s")),
        kernel.roofline.map_or_else(dash, |p| figure(p.fraction, "%")),
        trace.map_or_else(dash, |t| count(t.global.load.sectors)),
        trace.map_or_else(dash, |t| count(t.global.store.sectors)),
        trace.map_or_else(dash, |t| count(t.shared.load.conflicts + t.shared.store.conflicts)),
    ]
}
