//! `warpbook sweep`

use std::process::ExitCode;

use super::args::SweepArgs;
use super::run::options;
use super::{Context, DONE, FAILED, out};
use crate::notes::csv;
use crate::session::output::outcome;
use crate::session::sweep;

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
            out::note(&format!("{over} = {}: {}: {}", point.x, point.kernel.id, outcome(point.kernel.ok)));
        },
    )
    .map_err(out::misused)?;
    out::warnings(&output.warnings);
    if args.run.json {
        out::json(&output);
    } else {
        let (header, rows) = sweep::csv_rows(&output.over, &output.points);
        if args.csv {
            // CSV files end their lines as RFC 4180 asks; pipes want the system's own way.
            csv::csv(&header, &rows).lines().for_each(out::line);
        } else {
            let mut lines = vec![header];
            lines.extend(rows);
            out::table(&lines);
        }
    }
    Ok(if output.points.iter().all(|p| p.kernel.ok != Some(false)) { DONE } else { FAILED })
}
