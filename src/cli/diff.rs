//! `warpbook diff`

use std::process::ExitCode;

use serde::Serialize;

use super::args::DiffArgs;
use super::{Context, DONE, FAILED, MISUSED, out, target};
use crate::base::diag::Diagnostic;
use crate::base::parts::Places;
use crate::base::units::{digits3, number, si};
use crate::session::run::compare::{self, Figure, Line, LineSide, Side};
use crate::session::run::model::Predicted;
use crate::trace::Trace;

pub(super) fn diff(context: &Context, args: &DiffArgs) -> Result<ExitCode, ExitCode> {
    let setting = args.setting_after().map_err(|wrong| {
        out::misused(Diagnostic::error(format!("--then: {}", wrong.trim())).hint("it takes the options of a launch"))
    })?;
    let models = context.models();
    let chosen = [target::device(&models, &args.setting)?, target::device(&models, &setting)?];
    let outcomes = [
        target::traced(context, &args.before, &args.setting.options())?,
        target::traced(context, &args.after, &setting.options())?,
    ];
    let [Some(before), Some(after)] = [0, 1].map(|side: usize| outcomes[side].trace()) else {
        return Err(MISUSED.into());
    };
    let predicted = [0, 1].map(|side: usize| chosen[side].and_then(|chosen| outcomes[side].predicted(&chosen)));
    let texts = [0, 1].map(|side: usize| outcomes[side].text());
    let side = |of: usize, trace| Side {
        source: &texts[of],
        trace: Some(trace),
        machine_code: outcomes[of].machine_code.as_ref(),
        time_s: None,
    };
    let sides = [side(0, &before), side(1, &after)];
    let (figures, lines) = (compare::figures(&sides[0], &sides[1]), compare::lines(&sides[0], &sides[1]));
    if args.json {
        out::json(&Output { before: &before, after: &after, figures: &figures, lines: &lines, predicted: &predicted });
    } else {
        show(&figures, &predicted, &lines, &[0, 1].map(|side: usize| Places::of(&texts[side])));
    }
    for (name, side, trace) in [(&args.before, 0, &before), (&args.after, 1, &after)] {
        let (file, text) = (outcomes[side].file(name), &texts[side]);
        trace.findings.iter().for_each(|finding| out::note(&finding.diagnostic(file, text).to_string()));
    }
    Ok(if before.complete && after.complete { DONE } else { FAILED })
}

/// The JSON output: both traces, their figures and lines that differ, and both predictions.
#[derive(Serialize)]
struct Output<'a> {
    before: &'a Trace,
    after: &'a Trace,
    figures: &'a [Figure],
    lines: &'a [Line],
    predicted: &'a [Option<Predicted>; 2],
}

fn show(figures: &[Figure], predicted: &[Option<Predicted>; 2], lines: &[Line], places: &[Places<'_>; 2]) {
    let times = match predicted {
        [Some(before), Some(after)] => before
            .time_words()
            .zip(after.time_words())
            .map(|(old, new)| [format!("predicted for {}", before.device.short), old, new, String::new()]),
        _ => None,
    };
    show_figures(figures, times.into_iter().collect());
    show_lines(lines, places);
}

/// A table of figures, after `first` rows.
fn show_figures(figures: &[Figure], first: Vec<[String; 4]>) {
    let mut rows = vec![["", "before", "after", "change"].map(str::to_owned)];
    rows.extend(first);
    rows.extend(figures.iter().map(|figure| {
        let shown = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |v| value_words(v, figure.unit));
        [figure.name.to_owned(), shown(figure.before), shown(figure.after), change(figure)]
    }));
    let rows: Vec<Vec<String>> = rows.into_iter().map(Vec::from).collect();
    out::table(&rows);
}

/// The figures and the lines that changed between two texts.
pub(super) fn changes(figures: &[Figure], lines: &[Line], texts: &[&str; 2]) {
    if !figures.is_empty() {
        show_figures(figures, Vec::new());
    }
    show_lines(lines, &texts.map(Places::of));
}

fn show_lines(lines: &[Line], places: &[Places<'_>; 2]) {
    if lines.is_empty() {
        return out::line("no line does more or less");
    }
    out::line("lines that changed, or do more or less:");
    for line in lines {
        show_line('-', line.before.as_ref(), &places[0]);
        show_line('+', line.after.as_ref(), &places[1]);
    }
}

fn value_words(value: f64, unit: &str) -> String {
    if unit.is_empty() { number(value) } else { si(value, unit) }
}

fn change(figure: &Figure) -> String {
    match (figure.before, figure.after) {
        (Some(before), Some(after)) if before == after => "=".to_owned(),
        (Some(before), Some(after)) if before != 0.0 => format!("× {}", digits3(after / before)),
        _ => String::new(),
    }
}

fn show_line(sign: char, side: Option<&LineSide>, places: &Places<'_>) {
    let Some(side) = side else { return };
    out::line(&format!("{sign}{:>4}  {}", places.line_name(side.line), side.text.trim_end()));
    out::line(&format!("       {}", side.work()));
}
