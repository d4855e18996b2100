//! `warpbook run`

use std::process::ExitCode;

use super::args::RunArgs;
use super::{Context, DONE, FAILED, out};
use crate::base::units::{count, figure, si};
use crate::session::output::{KernelOutput, RunOutput};
use crate::session::run::{self, RunOptions};

/// The use-case's options behind the arguments.
pub(super) fn options(args: &RunArgs) -> Result<RunOptions, ExitCode> {
    let backend = args.backend.choice().map_err(out::misused)?;
    Ok(RunOptions {
        kernels: args.kernels.clone(),
        set: args.set.clone(),
        backend,
        seed: args.seed,
        bounds_checks: !args.unchecked,
        warp_width: args.warp,
    })
}

pub(super) fn run(context: &Context, args: &RunArgs) -> Result<ExitCode, ExitCode> {
    let options = options(args)?;
    let pack = context.pack()?;
    let output = run::run(&context.devices, &pack, &args.lesson, &options, &context.cancel, &mut |kernel, found| {
        out::problems(found);
        out::note(&format!("{}: {}", kernel.id, if kernel.ok { "ok" } else { "FAILED" }));
    })
    .map_err(out::misused)?;
    if args.json {
        out::json(&output);
    } else {
        show(&output);
    }
    Ok(if output.ok() { DONE } else { FAILED })
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
    rows.extend(output.kernels.iter().map(row));
    out::table(&rows);
    for comparison in &output.ladder {
        out::line(&format!("{}: {}", comparison.kernel, comparison.words(&comparison.against)));
    }
    for (id, value) in &output.values {
        if let Some(value) = value {
            out::line(&format!("{id} = {value}"));
        }
    }
    for warning in &output.warnings {
        out::note(&format!("warning: {}\n  hint: {}", warning.message, warning.hint));
    }
}

fn row(kernel: &KernelOutput) -> Vec<String> {
    let dash = || "–".to_owned();
    let time = kernel.time.as_ref();
    let trace = kernel.trace.as_ref();
    let check = match (&kernel.check, kernel.ok) {
        (Some(check), true) => format!("ok, error {:.1e}", check.max_rel_error),
        (None, true) => "none".to_owned(),
        (_, false) => "FAILED".to_owned(),
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
