//! `warpbook trace`

use std::process::ExitCode;

use serde::Serialize;

use super::args::TraceArgs;
use super::{Context, DONE, FAILED, MISUSED, out};
use crate::base::units::{count, si};
use crate::session::explain;
use crate::session::shader_file::{self, TraceOptions};
use crate::trace::{Provenance, Trace};

pub(super) fn trace(context: &Context, args: &TraceArgs) -> Result<ExitCode, ExitCode> {
    let (pack, _) = crate::session::load(&context.files);
    let options = TraceOptions {
        grid: args.grid,
        entry: args.entry.clone(),
        constants: args.constants.clone(),
        buffers: args.buffers.clone(),
        warp_width: args.warp,
        seed: 1,
        explain: args.explain.clone(),
    };
    let (record, origins) = shader_file::trace(&context.devices, &pack, &args.target, &options, &context.cancel)
        .map_err(|found| {
            out::problems(&found);
            ExitCode::from(MISUSED)
        })?;
    let Some(trace) = record.trace else { return Err(MISUSED.into()) };
    if args.json {
        let provenance = (!args.explain.is_empty()).then_some(origins.as_slice());
        out::json(&Output { trace: &trace, provenance });
    } else {
        show(&trace);
        origins.iter().for_each(show_origin);
    }
    for finding in &trace.findings {
        out::note(&format!("line {}: {}", finding.line, finding.message));
    }
    Ok(if trace.findings.is_empty() && trace.complete { DONE } else { FAILED })
}

/// What is printed as JSON: the trace, and the origins that were asked for.
#[derive(Serialize)]
struct Output<'a> {
    #[serde(flatten)]
    trace: &'a Trace,
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<&'a [Provenance]>,
}

fn show_origin(origin: &Provenance) {
    let told = explain::told(origin);
    for (i, text) in told.iter().enumerate() {
        out::line(&if i == 0 { format!("\n{text}") } else { format!("  {text}") });
    }
}

fn show(trace: &Trace) {
    out::line(&format!(
        "{} warps, {} warp instructions, {} lane operations, {} barriers, in {}",
        count(trace.warps),
        count(trace.warp_instructions),
        count(trace.lane_ops),
        count(trace.barriers),
        si(trace.seconds, "s")
    ));
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
    let mut rows = vec![["line", "warp instructions", "sectors", "conflicts"].map(str::to_owned).to_vec()];
    rows.extend(
        trace
            .lines
            .iter()
            .map(|l| vec![l.line.to_string(), count(l.warp_instructions), count(l.sectors), count(l.conflicts)]),
    );
    out::table(&rows);
}
