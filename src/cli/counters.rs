//! `warpbook counters`

use std::process::ExitCode;

use serde::Serialize;

use super::args::CountersArgs;
use super::{Context, DONE, FAILED, out, target};
use crate::base::diag::Diagnostic;
use crate::base::files;
use crate::base::units::{count, counted};
use crate::job::{Code, Grid, Launch};
use crate::session::run::counters::{self, Compared, Profiled, Verdict};
use crate::session::run::shader_file::TraceOptions;
use crate::simt;

pub(super) fn counters(context: &Context, args: &CountersArgs) -> Result<ExitCode, ExitCode> {
    let file = args.file.display().to_string();
    let unreadable = |error: &dyn std::fmt::Display| {
        let problem = Diagnostic::error(format!("cannot read {file}: {error}"));
        out::misused(problem.hint("give a .ncu-rep, or what `ncu --csv --page raw` wrote"))
    };
    let launches = if file.ends_with(".ncu-rep") {
        args.file.metadata().map_err(|error| unreadable(&error))?;
        counters::report(&file).map_err(out::misused)?
    } else {
        let text = files::read_text(&args.file).map_err(|error| unreadable(&error))?;
        counters::read(&file, &text).map_err(out::misused)?
    };
    // The number is that of a launch in the profile.
    let options = TraceOptions { launch: None, ..args.setting.options() };
    let outcome = target::traced(context, &args.target, &options)?;
    let (Some(trace), Some(launch)) =
        (outcome.trace(), outcome.pass.and_then(|place| outcome.done.job.passes[place].launch()))
    else {
        let problem = Diagnostic::error(format!("{} is a program of several passes", args.target));
        return Err(out::misused(problem.hint("name one of its passes: LESSON/PROGRAM/PASS")));
    };
    let profiled =
        choose(&launches, args.setting.launch, launch).map_err(|problem| out::misused(problem.in_file(&file)))?;
    let compared = counters::compare(profiled, &trace);
    if compared.is_empty() {
        let problem = Diagnostic::error("the launch has none of the counters that the tracer counts").in_file(&file);
        return Err(out::misused(problem.hint(format!("have ncu collect these metrics: {}", counters::metrics()))));
    }
    if args.json {
        out::json(&Output { kernel: &profiled.kernel, counters: &compared });
    } else {
        show(&compared);
    }
    trace
        .findings
        .iter()
        .for_each(|finding| out::note(&finding.diagnostic(outcome.file(&args.target), &outcome.text()).to_string()));
    let all_known = compared.iter().all(|counter| counter.verdict != Verdict::NotExplained);
    Ok(if trace.complete && all_known { DONE } else { FAILED })
}

/// The JSON output.
#[derive(Serialize)]
struct Output<'a> {
    kernel: &'a str,
    counters: &'a [Compared],
}

/// The launch that was asked for, or the first of a kernel of this name, if it is of the traced grid and block.
fn choose<'a>(launches: &'a [Profiled], wanted: Option<u32>, traced: &Launch) -> Result<&'a Profiled, Diagnostic> {
    if let Some(wanted) = wanted {
        let found = launches.get(wanted as usize - 1);
        let has = || format!("it has {}", counted(launches.len() as u64, "launch"));
        return found.ok_or_else(|| Diagnostic::error(format!("there is no launch {wanted}")).hint(has()));
    }
    let own = match &traced.code {
        Code::Ptx(assembled) => Some(simt::ptx_source_name(&assembled.twin.entry)),
        Code::Cuda { twin, .. } => Some(simt::ptx_source_name(&twin.entry)),
        _ => None,
    };
    let kernel = own.unwrap_or(&traced.kernel);
    let of_kernel = launches.iter().filter(|launch| launch.kernel == kernel).collect::<Vec<_>>();
    let chosen = match (of_kernel.as_slice(), launches) {
        ([first, ..], _) => {
            if of_kernel.len() > 1 {
                out::note(&format!(
                    "note: `{kernel}` was launched {} times; this is the first, --launch N chooses",
                    of_kernel.len()
                ));
            }
            Ok(*first)
        }
        // The names of a kernel in WGSL and of what was profiled in its place may differ.
        ([], [only]) if own.is_none() => Ok(only),
        ([], []) => Err(Diagnostic::error("no launch was profiled").hint("does the program launch a kernel?")),
        ([], launches) => {
            let names: Vec<&str> = launches.iter().map(|launch| launch.kernel.as_str()).collect();
            let problem = Diagnostic::error(format!("no launch is of a kernel `{kernel}`"));
            Err(problem.hint(format!("choose one with --launch N: {}", names.join(", "))))
        }
    };
    let profiled = chosen?;
    let grid = if let Grid::Fixed(grid) = traced.grid { Some(grid) } else { None };
    let shapes = [("grid", grid, profiled.shape[0]), ("block", traced.workgroup.map(|w| w.size), profiled.shape[1])];
    for (what, traced, profiled) in shapes {
        if let (Some(traced), Some(profiled)) = (traced, profiled)
            && traced != profiled
        {
            let words = |[x, y, z]: [u32; 3]| format!("{x},{y},{z}");
            let message = format!("the profiled {what} is {}, and the traced one {}", words(profiled), words(traced));
            let hint = format!("trace it with --{what} {}; --launch N compares them all the same", words(profiled));
            return Err(Diagnostic::error(message).hint(hint));
        }
    }
    Ok(profiled)
}

fn show(compared: &[Compared]) {
    let header = ["counter", "hardware", "traced", ""].map(str::to_owned).to_vec();
    let rows = compared.iter().map(|counter| {
        let verdict = match counter.verdict {
            Verdict::Equal => "equal",
            Verdict::Explained(_) => "explained",
            Verdict::NotExplained => "not explained",
        };
        vec![counter.counter.clone(), count(counter.hardware), count(counter.traced), verdict.to_owned()]
    });
    out::table(&std::iter::once(header).chain(rows).collect::<Vec<_>>());
    for counter in compared {
        if let Verdict::Explained(why) = counter.verdict {
            out::line(&format!("{}: {why}.", counter.counter));
        }
    }
}
