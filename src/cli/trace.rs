//! `warpbook trace`

use std::process::ExitCode;

use serde::Serialize;

use super::args::TraceArgs;
use super::run::heading;
use super::{Context, DONE, FAILED, MISUSED, out};
use crate::base::units::{count, digits3, si};
use crate::gpu::simt;
use crate::session::explain;
use crate::session::model::{self, Predicted, Traced};
use crate::session::shader_file::{self, TraceOptions};
use crate::trace::record::Ceilings;
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
    let models = context.models();
    // Nothing is measured, so nothing of this machine decides: the same command says the same anywhere.
    let chosen = model::choose(&models, args.device.as_deref(), &simt::device()).map_err(out::misused)?;
    let outcome =
        shader_file::trace(&context.devices, &pack, &args.target, &options, &context.cancel).map_err(|found| {
            out::problems(&found);
            ExitCode::from(MISUSED)
        })?;
    let Some(trace) = outcome.record.trace else { return Err(MISUSED.into()) };
    let predicted = chosen.zip(outcome.launch.as_ref()).map(|(chosen, launch)| {
        let traced = Traced { launch, trace: &trace, needs: outcome.needs };
        model::predicted(&chosen, &traced, &Ceilings::default(), None)
    });
    if args.json {
        let provenance = (!args.explain.is_empty()).then_some(outcome.origins.as_slice());
        out::json(&Output { trace: &trace, predicted, provenance });
    } else {
        show(&trace);
        if let Some(predicted) = &predicted {
            show_predicted(predicted);
        }
        outcome.origins.iter().for_each(show_origin);
    }
    for finding in &trace.findings {
        out::note(&format!("line {}: {}", finding.line, finding.message));
    }
    Ok(if trace.findings.is_empty() && trace.complete { DONE } else { FAILED })
}

/// What is printed as JSON: the trace, what the model of a device says of it, and the origins that were asked for.
#[derive(Serialize)]
struct Output<'a> {
    #[serde(flatten)]
    trace: &'a Trace,
    predicted: Option<Predicted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<&'a [Provenance]>,
}

fn show_predicted(predicted: &Predicted) {
    out::line(&heading(&predicted.device));
    let bound = predicted.bound.map_or_else(String::new, |bound| format!(", bound by {}", bound.name()));
    if let Some(time) = predicted.time_words() {
        out::line(&format!("  {time}{bound}"));
    }
    let said = predicted.missing.iter().chain(&predicted.assumptions).map(|said| said.text.clone());
    let facts = [predicted.occupancy_words(), predicted.waves_words()];
    facts.into_iter().flatten().chain(said).for_each(|text| out::line(&format!("  {text}")));
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
