//! `warpbook trace`

use std::process::ExitCode;

use super::args::TraceArgs;
use super::{Context, DONE, FAILED, MISUSED, out};
use crate::base::units::{count, digits3, si};
use crate::session::shader_file::{self, TraceOptions};
use crate::trace::Trace;

pub(super) fn trace(context: &Context, args: &TraceArgs) -> Result<ExitCode, ExitCode> {
    let (pack, _) = crate::session::load(&context.files);
    let options = TraceOptions {
        grid: args.grid,
        entry: args.entry.clone(),
        constants: args.constants.clone(),
        buffers: args.buffers.clone(),
        warp_width: args.warp,
        seed: 1,
    };
    let record =
        shader_file::trace(&context.devices, &pack, &args.target, &options, &context.cancel).map_err(|found| {
            out::problems(&found);
            ExitCode::from(MISUSED)
        })?;
    let Some(trace) = record.trace else { return Err(MISUSED.into()) };
    if args.json {
        out::json(&trace);
    } else {
        show(&trace);
    }
    for finding in &trace.findings {
        out::note(&format!("line {}: {}", finding.line, finding.message));
    }
    Ok(if trace.findings.is_empty() && trace.complete { DONE } else { FAILED })
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
    let head = ["line", "warp instructions", "active lanes", "sectors", "conflicts", "divergent"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(trace.lines.iter().map(|l| {
        let lanes = digits3(l.active_lanes());
        let counts = [l.warp_instructions, l.sectors, l.conflicts, l.divergent].map(count);
        let [instructions, sectors, conflicts, divergent] = counts;
        vec![l.line.to_string(), instructions, lanes, sectors, conflicts, divergent]
    }));
    out::table(&rows);
}
