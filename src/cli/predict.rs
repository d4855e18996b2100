//! `warpbook predict`

use std::process::ExitCode;

use super::args::PredictArgs;
use super::{Context, DONE, FAILED, out, problems};
use crate::base::units::{number, si};
use crate::session::experiment::model_check::{self, Asked, Judged};
use crate::session::experiment::recording;

pub(super) fn predict(context: &Context, args: &PredictArgs) -> Result<ExitCode, ExitCode> {
    let pack = context.pack()?;
    let ((recordings, unread), models) = (recording::load(&context.files, &pack), context.models());
    problems(&unread);
    let asked = Asked { lessons: &args.lessons, most_work: args.most_work };
    if !args.json {
        out::line(
            "recording  lesson/experiment: curve, setting: recorded median, inside or OUTSIDE of the predicted interval (high / low end; largest term)",
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
            let bound = predicted.bound.map_or("", |bound| bound.name());
            let inside = if point.inside == Some(true) { "inside" } else { "OUTSIDE" };
            format!(
                "{of}, {inside} {low} to {high} ({}; {bound})",
                point.width().map_or_else(|| "–".to_owned(), number)
            )
        }
        (None, why) => format!("{of}, no prediction: {}", why.as_deref().unwrap_or_default()),
    }
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
