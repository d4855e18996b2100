//! `warpbook sweep`

use std::process::ExitCode;

use super::args::SweepArgs;
use super::run::options;
use super::{Context, DONE, FAILED, out};
use crate::base::units::{count, number, si};
use crate::notes::csv;
use crate::session::experiment::sweep;
use crate::session::run::output::{LibraryOutput, SweepPoint};

pub(super) fn sweep(context: &Context, args: &SweepArgs) -> Result<ExitCode, ExitCode> {
    let options = options(&args.run)?;
    let pack = context.pack()?;
    let (over, values) = &args.over;
    let output = sweep::sweep(
        &context.devices,
        &pack,
        &args.run.lesson,
        (over, &values.0),
        &options,
        &context.cancel,
        &mut |point, found| {
            out::problems(found);
            out::note(&format!("{over} = {}: {}: {}", point.x, point.kernel.id, point.kernel.outcome()));
        },
    )
    .map_err(out::misused)?;
    out::warnings(&output.warnings);
    if args.run.json {
        out::json(&output);
    } else {
        if args.csv {
            let (header, rows) = sweep::csv_rows(&output.over, &output.points);
            // CSV files end their lines as RFC 4180 asks; pipes want the system's own way.
            csv::csv(&header, &rows).lines().for_each(out::line);
        } else {
            out::table(&table(&output.over, &output.points));
        }
    }
    Ok(if output.points.iter().all(|p| p.kernel.ok != Some(false)) { DONE } else { FAILED })
}

/// The points as people read them, with units; a column that would be empty is left out. Single samples are in JSON and
/// CSV.
fn table(over: &str, points: &[SweepPoint]) -> Vec<Vec<String>> {
    let header = [
        over,
        "kernel",
        "check",
        "median",
        "p10–p90",
        "n",
        "useful B/s",
        "FLOP/s",
        "load sectors",
        "store sectors",
        "library",
        "its median",
    ];
    let mut lines = vec![header.iter().map(ToString::to_string).collect::<Vec<_>>()];
    lines.extend(points.iter().map(row));
    let filled = |column: &usize| lines.iter().skip(1).any(|line| !line[*column].is_empty());
    let kept: Vec<usize> = (0..header.len()).filter(filled).collect();
    lines.iter().map(|line| kept.iter().map(|column| line[*column].clone()).collect()).collect()
}

fn row(point: &SweepPoint) -> Vec<String> {
    let kernel = &point.kernel;
    let (time, trace) = (kernel.time.as_ref(), kernel.trace.as_ref());
    let library = kernel.library.as_ref().filter(|library| library.ok);
    let rate = |rate: Option<f64>, unit: &str| rate.filter(|r| *r > 0.0).map(|r| si(r, unit)).unwrap_or_default();
    vec![
        number(point.x),
        kernel.id.clone(),
        kernel.outcome().to_owned(),
        time.map(|t| si(t.median_s, "s")).unwrap_or_default(),
        time.map(|t| format!("{}–{}", si(t.p10_s, "s"), si(t.p90_s, "s"))).unwrap_or_default(),
        time.map(|t| t.samples.to_string()).unwrap_or_default(),
        rate(kernel.bytes_per_s, "B/s"),
        rate(kernel.flops_per_s, "FLOP/s"),
        trace.map(|t| count(t.global.load.sectors)).unwrap_or_default(),
        trace.map(|t| count(t.global.store.sectors)).unwrap_or_default(),
        library.map(LibraryOutput::words).unwrap_or_default(),
        library.and_then(|l| l.time.as_ref()).map(|t| si(t.median_s, "s")).unwrap_or_default(),
    ]
}
