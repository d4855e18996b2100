//! Curves that a learner draws as predictions: the answering curve, both on one plot, and the distance between them.

use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::predict::Answer;
use crate::base::diag::Diagnostic;
use crate::base::units::{digits3, number, si};
use crate::figures::palette::Ink;
use crate::figures::plot::{Plot, Point, Scale, Series};
use crate::lesson::{CurveDecl, Lesson};
use crate::session::experiment::chart;
use crate::session::experiment::recording::{self, Recording, RecordingChoice};
use crate::session::experiment::sweep::{self, Subject, Sweep};
use crate::session::jobs;
use crate::session::run::devices::Devices;
use crate::session::run::{self, Runner};
use crate::trace::record::{Backend, Device};

/// Points of a curve: x, one of the experiment's values, and y, in the unit of the plot's axis.
pub type Points = Vec<(f64, f64)>;

/// The answer that a drawn curve is compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// Where it comes from.
    pub by: By,
    pub points: Points,
}

/// Where a curve comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum By {
    /// The tracer counted.
    Trace,
    /// A GPU here was timed.
    Measurement,
    /// A GPU elsewhere was timed, and a recording kept it.
    Recording,
}

impl By {
    /// The verb before the source's name: "traced by", "measured on".
    #[must_use]
    pub fn phrase(self) -> String {
        format!("{} {}", self.word(), if self == Self::Trace { "by" } else { "on" })
    }

    /// In a word, for legends.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Trace => "traced",
            Self::Measurement => "measured",
            Self::Recording => "recorded",
        }
    }
}

/// Whether a device can answer a curve: the tracer for counts, a GPU for times. A CPU's times say little about a GPU; a
/// recording answers then.
#[must_use]
pub fn is_found_here(lesson: &Lesson, decl: &CurveDecl, device: &Device) -> bool {
    let traced = decl.of(lesson).is_some_and(|(experiment, _)| experiment.quantity.is_traced());
    traced || (device.backend != Backend::Simt && !device.software)
}

/// Runs the curve's points, on the tracer for counts, else on the device of `backend`. A point that cannot run is left
/// out.
///
/// # Errors
/// When there is no such device, or no point could be run: why.
pub fn run(
    devices: &Devices,
    lesson: &Lesson,
    decl: &CurveDecl,
    (backend, seed, bounds_checks): (Backend, u64, bool),
    cancel: &AtomicBool,
) -> Result<Answer, Vec<Diagnostic>> {
    let Some((experiment, curve)) = decl.of(lesson) else { return Ok(Answer::default()) };
    let device = sweep::device_for(experiment, &devices.describe(backend).map_err(|problem| vec![problem])?);
    let base = jobs::with(&jobs::defaults(lesson), &decl.set);
    let base = sweep::settings_for(experiment, &device, &base);
    let purpose = run::purpose(device.backend, seed, bounds_checks);
    let runner = Runner { devices, backend: device.backend, lesson, purpose: &purpose, cancel };
    let points: Vec<_> = experiment.values.iter().map(|x| (*x, curve)).collect();
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    let of = Subject::of(experiment, device.backend, None);
    sweep::run_points(&runner, None, of, &points, &base, &mut |point, wrong| {
        found.push(point);
        problems.extend(wrong);
    });
    let sweep = Sweep {
        number: 0,
        bounds_checks,
        warp_width: 0,
        backend: device.backend,
        device: device.name,
        params: base,
        over: experiment.over.clone(),
        total: found.len(),
        points: found,
        left_out: None,
        modelled: None,
    };
    let by = if device.backend == Backend::Simt { By::Trace } else { By::Measurement };
    let plot = chart::plot(lesson, experiment, Some(&sweep), None, None, by == By::Measurement);
    match answer(&plot, &curve.id, by, (sweep.device.clone(), described(&sweep))) {
        Some(answer) => Ok(answer),
        None => Err(problems),
    }
}

/// The recorded curve: from the recording that the learner chose, else the first. The answer has no curve if no
/// recording has it.
#[must_use]
pub fn recorded(lesson: &Lesson, decl: &CurveDecl, recordings: &[Recording], choice: &RecordingChoice) -> Answer {
    let Some((experiment, curve)) = decl.of(lesson) else { return Answer::default() };
    let all: Vec<recording::Of<'_>> = recordings.iter().filter_map(|known| known.shown(lesson, experiment)).collect();
    let chosen = recording::chosen(&all, choice, None, false);
    // CPU measurements are among the learner's own curves, so the fallback is the packs' recordings.
    let of_packs = (0..all.len()).filter(|i| !all[*i].0.own);
    let mut in_order = chosen.into_iter().chain(of_packs);
    let found = in_order.find_map(|i| {
        let (recording, shown) = all[i];
        let plot = chart::recorded(lesson, experiment, shown);
        let from = (recording.name(), described(&shown.sweep));
        answer(&plot, &chart::recorded_id(&curve.id), By::Recording, from)
    });
    found.unwrap_or_default()
}

/// A plot's curve as an answer; None if it has no points.
fn answer(plot: &Plot, id: &str, by: By, (device, described): (String, String)) -> Option<Answer> {
    let series = plot.series.iter().find(|series| series.id == id)?;
    let points: Points = series.points.iter().map(|point| (point.x, point.y)).collect();
    let found = Found { by, points };
    (!found.points.is_empty()).then(|| Answer {
        device: Some(device),
        runs: vec![described],
        curve: Some(found),
        ..Answer::default()
    })
}

/// The settings of a sweep in words.
fn described(sweep: &Sweep) -> String {
    let at = sweep.params.iter().filter(|(id, _)| **id != sweep.over);
    at.map(|(id, value)| format!("{id} = {}", number(*value))).collect::<Vec<_>>().join(", ")
}

/// The plot to draw on, with the points drawn so far and the answer once there is one. None if the lesson no longer has
/// the curve.
#[must_use]
pub fn plot(lesson: &Lesson, decl: &CurveDecl, drawn: &[(f64, f64)], found: Option<&Found>) -> Option<Plot> {
    let (experiment, curve) = decl.of(lesson)?;
    let timed = !experiment.quantity.is_traced();
    let mut plot = chart::plot(lesson, experiment, None, None, None, timed);
    plot.y.reach = Some(decl.reach);
    if decl.reach[0] <= 0.0 {
        plot.y.scale = Scale::Linear;
    }
    plot.x.ticks.clone_from(&experiment.values);
    let known = plot.series.iter().find(|series| series.id == curve.id);
    let ink = known.map_or(Ink::Series(0), |series| series.ink);
    let points = |points: &[(f64, f64)]| points.iter().map(|&(x, y)| Point { x, y, low: y, high: y }).collect();
    let yours = Series {
        id: "yours".to_owned(),
        name: "your curve".to_owned(),
        ink: Ink::Accent,
        points: points(drawn),
        recorded: false,
    };
    let theirs = found.map(|found| Series {
        id: curve.id.clone(),
        name: format!("{}, {}", curve.title, found.by.word()),
        ink,
        points: points(&found.points),
        recorded: found.by == By::Recording,
    });
    plot.series = theirs.into_iter().chain([yours]).collect();
    Some(plot)
}

/// Whether a drawn curve has a point at each value of its experiment.
#[must_use]
pub fn is_whole(lesson: &Lesson, decl: &CurveDecl, drawn: &[(f64, f64)]) -> bool {
    let values = decl.of(lesson).map(|(experiment, _)| experiment.values.as_slice()).unwrap_or_default();
    !values.is_empty() && values.iter().all(|value| drawn.iter().any(|(x, _)| x == value))
}

/// The drawn points with one added or replaced, sorted by x; a point that is not a number is ignored.
#[must_use]
pub fn with(drawn: &[(f64, f64)], (x, y): (f64, f64)) -> Points {
    let mut points: Points = drawn.iter().copied().filter(|point| point.0 != x).collect();
    if x.is_finite() && y.is_finite() {
        points.push((x, y.max(0.0)));
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// Where a drawn curve is farthest from the answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Farthest {
    pub x: f64,
    /// The y drawn there.
    pub drawn: f64,
    /// The answer's y there.
    pub found: f64,
    /// The greater of both over the smaller; infinite if that is 0.
    pub factor: f64,
}

/// The point at which both differ by the greatest factor; None if they have no x in common.
#[must_use]
pub fn farthest(drawn: &[(f64, f64)], found: &[(f64, f64)]) -> Option<Farthest> {
    let both = drawn.iter().filter_map(|&(x, drawn)| {
        let (_, found) = found.iter().find(|(at, _)| *at == x)?;
        let (small, great) = (drawn.min(*found), drawn.max(*found));
        let factor = if great == small { 1.0 } else { great / small };
        Some(Farthest { x, drawn, found: *found, factor })
    });
    both.max_by(|a, b| a.factor.total_cmp(&b.factor))
}

/// How far a drawn curve is from the answer, in a sentence.
#[must_use]
pub fn compared(plot: &Plot, drawn: &[(f64, f64)], found: &Found) -> String {
    let Some(far) = farthest(drawn, &found.points) else { return "They have no point in common.".to_owned() };
    let value = |y: f64| match plot.y.unit.as_str() {
        "%" => format!("{}%", digits3(y)),
        "" => digits3(y),
        unit => si(y, unit),
    };
    let (at, by) = (format!("{} = {}", plot.x.label, number(far.x)), found.by.word());
    let both = format!("you drew {}, and {} was {by}", value(far.drawn), value(far.found));
    if far.factor < 1.005 {
        return "Your curve is the same, to three digits.".to_owned();
    }
    if far.factor.is_infinite() {
        return format!("The greatest difference is at {at}: {both}.");
    }
    format!("The greatest difference is a factor of {}, at {at}: {both}.", digits3(far.factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_factor_is_found_wherever_it_is() {
        let found = [(1.0, 4.0), (2.0, 8.0), (4.0, 16.0), (8.0, 32.0)];
        let far = farthest(&[(1.0, 4.0), (2.0, 2.0), (4.0, 48.0), (16.0, 1.0)], &found);
        assert_eq!(far, Some(Farthest { x: 2.0, drawn: 2.0, found: 8.0, factor: 4.0 }));
        let zero = farthest(&[(1.0, 0.0), (2.0, 2.0)], &found).map(|far| (far.x, far.factor));
        assert_eq!(zero, Some((1.0, f64::INFINITY)));
        assert_eq!(farthest(&[(1.0, 0.0)], &[(1.0, 0.0)]).map(|far| far.factor), Some(1.0));
        assert_eq!(farthest(&[(3.0, 1.0)], &found), None);
    }

    #[test]
    fn a_point_takes_the_place_of_the_one_before_and_no_nan_is_kept() {
        let drawn = with(&with(&[], (2.0, 5.0)), (1.0, -3.0));
        assert_eq!(drawn, [(1.0, 0.0), (2.0, 5.0)]);
        assert_eq!(with(&drawn, (2.0, 6.0)), [(1.0, 0.0), (2.0, 6.0)]);
        assert_eq!(with(&drawn, (2.0, f64::NAN)), [(1.0, 0.0)]);
        assert_eq!(with(&drawn, (f64::INFINITY, 1.0)), drawn);
    }
}
