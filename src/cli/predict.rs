//! `warpbook predict`

use std::process::ExitCode;

use super::args::PredictArgs;
use super::{Context, DONE, FAILED, out, problems};
use crate::base::units::{number, si};
use crate::device::Point;
use crate::session::experiment::model_check::{self, Asked, Judged};
use crate::session::experiment::recording;

pub(super) fn predict(context: &Context, args: &PredictArgs) -> Result<ExitCode, ExitCode> {
    let pack = context.pack()?;
    let ((recordings, unread), models) = (recording::load(&context.files, &pack), context.models());
    problems(&unread);
    let asked = Asked { lessons: &args.lessons, most_work: args.most_work };
    if !args.json {
        out::line(
            "recording  lesson/experiment: curve, setting: recorded median, predicted (error; what bounds it, and what would be next), \
             inside or OUTSIDE of the bounds",
        );
    }
    let mut points = Vec::new();
    model_check::judge(&context.devices, (&pack, &recordings, &models), asked, &context.cancel, &mut |point| {
        let line = row(&point);
        if args.json {
            out::note(&line)
        } else {
            out::line(&line)
        }
        points.push(point);
    })
    .map_err(out::misused)?;
    if args.json {
        out::json(&points);
    } else {
        out::line("");
        out::table(&errors(&points));
        out::line("");
        out::table(&shares(&points));
    }
    Ok(if unread.is_empty() { DONE } else { FAILED })
}

/// A point as people read it.
fn row(point: &Judged) -> String {
    let Judged { recording, lesson, experiment, curve, over, x, measured_s, .. } = point;
    let of = format!("{recording}  {lesson}/{experiment}: {curve}, {over} = {}: {}", number(*x), si(*measured_s, "s"));
    match (&point.predicted, &point.why) {
        (Some(predicted), _) => {
            let (low, high) = (si(predicted.low_s, "s"), si(predicted.high_s, "s"));
            let inside = if point.inside == Some(true) { "inside" } else { "OUTSIDE" };
            let said = match (&predicted.point, point.error()) {
                (Some(Point { point_s, parts, .. }), Some(error)) => {
                    let names: Vec<&str> = parts.iter().take(2).map(|part| part.of.name()).collect();
                    format!("{} ({:+.0} %; {})", si(*point_s, "s"), 100.0 * error, names.join(", then "))
                }
                _ => "no point".to_owned(),
            };
            format!("{of}, {said}, {inside} of {low} to {high}")
        }
        (None, why) => format!("{of}, no prediction: {}", why.as_deref().unwrap_or_default()),
    }
}

/// By lesson and of all, how far off the predicted times are: of the points to which the constants were fitted, and of the others.
fn errors(points: &[Judged]) -> Vec<Vec<String>> {
    let header =
        ["lesson", "fitted", "mean error", "median", "held out", "mean error", "median", "9 of 10 below", "3 × off"];
    let mut lessons: Vec<&str> = points.iter().map(|point| point.lesson.as_str()).collect();
    lessons.dedup();
    let mut rows = vec![header.iter().map(ToString::to_string).collect()];
    let row = |name: &str, points: Vec<&Judged>| {
        let of = |fitted: bool| -> Vec<f64> {
            let chosen = points.iter().filter(|point| point.fitted == fitted);
            let mut errors: Vec<f64> = chosen.filter_map(|point| Some(point.error()?.abs())).collect();
            errors.sort_by(f64::total_cmp);
            errors
        };
        let (fitted, held) = (of(true), of(false));
        let percent =
            |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{:.1} %", 100.0 * value));
        let off = points.iter().filter_map(|point| point.error()).filter(|error| *error > 2.0 || *error < -2.0 / 3.0);
        vec![
            name.to_owned(),
            fitted.len().to_string(),
            percent(mean(&fitted)),
            percent(quantile(&fitted, 0.5)),
            held.len().to_string(),
            percent(mean(&held)),
            percent(quantile(&held, 0.5)),
            percent(quantile(&held, 0.9)),
            off.count().to_string(),
        ]
    };
    rows.extend(lessons.iter().map(|id| row(id, points.iter().filter(|point| point.lesson == **id).collect())));
    rows.push(row("all", points.iter().collect()));
    rows
}

#[expect(clippy::cast_precision_loss, reason = "counts of points")]
fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The value below which a share of sorted values lies.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts of points"
)]
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    sorted.get((share * sorted.len().saturating_sub(1) as f64).round() as usize).copied()
}

/// By lesson and of all, how many points the intervals contain.
fn shares(points: &[Judged]) -> Vec<Vec<String>> {
    let header = ["lesson", "recorded points", "predicted", "inside", "share", "largest high / low", "above 8"];
    let mut lessons: Vec<&str> = points.iter().map(|point| point.lesson.as_str()).collect();
    lessons.dedup();
    let mut rows = vec![header.iter().map(ToString::to_string).collect()];
    rows.extend(lessons.iter().map(|id| share(id, points.iter().filter(|point| point.lesson == **id))));
    rows.push(share("all", points.iter()));
    rows
}

fn share<'a>(name: &str, points: impl Iterator<Item = &'a Judged>) -> Vec<String> {
    let points: Vec<&Judged> = points.collect();
    let inside: Vec<bool> = points.iter().filter_map(|point| point.inside).collect();
    let widths: Vec<f64> = points.iter().filter_map(|point| point.width()).collect();
    let within = inside.iter().filter(|inside| **inside).count();
    #[expect(clippy::cast_precision_loss, reason = "counts of points")]
    let share = within as f64 / inside.len() as f64;
    let none = inside.is_empty();
    vec![
        name.to_owned(),
        points.len().to_string(),
        inside.len().to_string(),
        within.to_string(),
        if none { "–".to_owned() } else { format!("{:.1} %", 100.0 * share) },
        widths.iter().copied().reduce(f64::max).map_or_else(|| "–".to_owned(), number),
        widths.iter().filter(|width| **width > 8.0).count().to_string(),
    ]
}
