//! Recorded times against the device's model: every recorded point is traced at its settings and predicted.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::recording::Recording;
use crate::base::diag::Diagnostic;
use crate::device::{DeviceSpec, point};
use crate::gpu::simt;
use crate::lesson::{Curve, Lesson, Pack};
use crate::session::jobs;
use crate::session::jobs::cost;
use crate::session::run::devices::Devices;
use crate::session::run::model::{self, Chosen};
use crate::session::run::output::TimeOutput;
use crate::session::run::whole::{Whole, whole};
use crate::session::run::{self, Runner};
use crate::trace::record::{Backend, CacheState};

/// A recorded time and the model's prediction for the same kernel at the same settings.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    pub recording: String,
    pub lesson: String,
    pub experiment: String,
    pub curve: String,
    /// The parameter that was swept.
    pub over: String,
    /// Its value.
    pub x: f64,
    /// The recorded median, in seconds.
    pub measured_s: f64,
    /// The predicted time; null if there is none.
    pub predicted: Option<Whole>,
    /// Whether the model's constants were fitted to this point; the others say how far off it is.
    pub fitted: bool,
    /// Why nothing was predicted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whether the interval contains the recorded median; null without an interval.
    pub inside: Option<bool>,
}

impl Judged {
    /// How far the predicted time is from the measured one, as a share of that.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        Some(self.predicted.as_ref()?.point.as_ref()?.point_s / self.measured_s - 1.0)
    }

    /// The high end over the low end; None without an interval, or if its low end is 0.
    #[must_use]
    pub fn width(&self) -> Option<f64> {
        let predicted = self.predicted.as_ref()?;
        (predicted.low_s > 0.0).then(|| predicted.high_s / predicted.low_s)
    }
}

/// Which points are predicted.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The lessons, by id; all if empty.
    pub lessons: &'a [String],
    /// Operations or bytes that a point's work needs at most, so that tracing it ends.
    pub most_work: f64,
}

/// Predicts every recorded point of the lessons whose device has a model. `each` gets them as they come.
pub fn judge(
    devices: &Devices,
    (pack, recordings, models): (&Pack, &[Recording], &[DeviceSpec]),
    asked: Asked<'_>,
    cancel: &AtomicBool,
    each: &mut dyn FnMut(Judged),
) -> Result<(), Diagnostic> {
    for id in asked.lessons {
        run::lesson(pack, id)?;
    }
    let lessons = pack.lessons.iter().filter(|l| asked.lessons.is_empty() || asked.lessons.contains(&l.id));
    for lesson in lessons {
        for recording in recordings {
            let Some(spec) = models.iter().find(|spec| spec.is_adapter(&recording.device)) else { continue };
            let chosen = Chosen { spec, this_machine: false, backend: Some(recording.backend) };
            for experiment in &lesson.experiments {
                let Some((_, shown)) = recording.shown(lesson, experiment) else { continue };
                let base =
                    jobs::with(&jobs::defaults(lesson), &shown.sweep.params.clone().into_iter().collect::<Vec<_>>());
                for point in &shown.sweep.points {
                    if cancel.load(Ordering::Relaxed) {
                        return Ok(());
                    }
                    let curve = experiment.curves.iter().find(|curve| curve.id == point.kernel.id);
                    let Some((curve, time)) = curve.zip(point.kernel.time.as_ref()) else { continue };
                    let params = jobs::with(&base, &[(experiment.over.clone(), point.x)]);
                    let predicted =
                        self::time(devices, lesson, (curve, time), &params, (&chosen, asked.most_work), cancel);
                    let (predicted, why) = match predicted {
                        Ok(predicted) => (Some(predicted), None),
                        Err(why) => (None, Some(why)),
                    };
                    let (over, x) = (&experiment.over, point.x);
                    let key = format!("{}/{}/{}/{}/{over}={x}", recording.id, lesson.id, experiment.id, curve.id);
                    let contains = |interval: &Whole| (interval.low_s..=interval.high_s).contains(&time.median_s);
                    each(Judged {
                        inside: predicted.as_ref().map(contains),
                        fitted: point::is_fitted(&key),
                        recording: recording.id.clone(),
                        lesson: lesson.id.clone(),
                        experiment: experiment.id.clone(),
                        curve: curve.id.clone(),
                        over: experiment.over.clone(),
                        x: point.x,
                        measured_s: time.median_s,
                        predicted,
                        why,
                    });
                }
            }
        }
    }
    Ok(())
}

/// The predicted time of a curve's program, or of the pass that the curve shows.
fn time(
    devices: &Devices,
    lesson: &Lesson,
    (curve, time): (&Curve, &TimeOutput),
    params: &jobs::Params,
    (chosen, most_work): (&Chosen<'_>, f64),
    cancel: &AtomicBool,
) -> Result<Whole, String> {
    if !lesson.runs_on(&curve.variant, Backend::Simt) {
        return Err("the tracer does not run CUDA C++".to_owned());
    }
    let job = jobs::sketch(lesson, &curve.variant, params).ok_or("it has no such settings")?;
    let work = cost::whole(&job);
    if work.bytes.max(work.flops) > most_work {
        return Err(format!("its work is more than --most-work {most_work:e}"));
    }
    let mut purpose = jobs::Purpose { check: false, ..run::purpose(Backend::Simt, 1, true) };
    if let Some(spec) = &mut purpose.trace {
        spec.races = false;
        spec.sample = Some(cost::sample(&job));
        spec.caches = model::caches(chosen.spec, time.cache == CacheState::Warm);
    }
    let runner = Runner { devices, backend: simt::device().backend, lesson, purpose: &purpose, cancel };
    let first = |why: Vec<Diagnostic>| why.first().map_or_else(String::new, |why| why.message.clone());
    let done = runner.program(&curve.variant, params).map_err(first)?;
    whole((&done.job, &done.record), curve.pass.as_deref(), time.cache == CacheState::Warm, chosen)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use crate::gpu::client::WorkerCommand;
    use crate::lesson::PackFiles;
    use crate::session;
    use crate::session::experiment::recording;

    /// From one lane that does everything to a lane for each element, and lanes of a warp that part: 1.6 µs to 5.4 ms.
    #[test]
    fn recorded_times_of_few_lanes_lie_inside_their_intervals() {
        let (pack, _) = session::load(&PackFiles::Embedded);
        let (recordings, _) = recording::load(&PackFiles::Embedded, &pack);
        let (models, _) = model::load(&PackFiles::Embedded);
        let devices = Devices::new(WorkerCommand::this_program());
        let mut points = Vec::new();
        let lessons = ["one_loop".to_owned()];
        let asked = Asked { lessons: &lessons, most_work: 3e8 };
        let all = (&pack, recordings.as_slice(), models.as_slice());
        judge(&devices, all, asked, &AtomicBool::new(false), &mut |point| points.push(point)).unwrap();
        let judged: Vec<_> = points.iter().filter_map(|point| Some((point, point.inside?))).collect();
        assert!(judged.len() >= 24, "{}", judged.len());
        let outside: Vec<_> = judged.iter().filter(|(_, inside)| !inside).map(|(point, _)| point).collect();
        assert!(outside.is_empty(), "{outside:#?}");
        // Points that cannot be predicted say why.
        assert!(points.iter().all(|point| point.predicted.is_some() != point.why.is_some()));
        assert!(
            judge(&devices, all, Asked { lessons: &["x".to_owned()], ..asked }, &AtomicBool::new(false), &mut |_| ())
                .is_err()
        );
    }
}
