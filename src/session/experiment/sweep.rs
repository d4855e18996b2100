//! Sweeps: running programs over the values of one parameter.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::base::diag::Diagnostic;
use crate::gpu::simt;
use crate::lesson::scope::{Env, Results};
use crate::lesson::{Curve, Experiment, Lesson, Pack, Quantity, Variant};
use crate::notes::csv;
use crate::session::jobs::{self, Params, Purpose, cost};
use crate::session::run::devices::Devices;
use crate::session::run::model::{self, Chosen};
use crate::session::run::output::{LibraryOutput, SweepOutput, SweepPoint};
use crate::session::run::ranks_run::Together;
use crate::session::run::whole::whole;
use crate::session::run::{self, Done, RunOptions, Runner};
use crate::trace::record::{Backend, Device, Record, Warning};

/// A sweep, finished or not.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The number of the order that made it; 0 outside a window.
    pub number: u64,
    /// Whether the device's compiler guarded indices.
    pub bounds_checks: bool,
    /// Lanes in a traced warp.
    pub warp_width: u32,
    /// The backend that ran it.
    pub backend: Backend,
    /// The device's name.
    pub device: String,
    /// All parameters at its start; the swept one's value does not count.
    pub params: Params,
    /// The parameter swept.
    pub over: String,
    /// Points so far.
    pub points: Vec<SweepPoint>,
    /// Points there will be.
    pub total: usize,
    /// Why some of the experiment's points are left out.
    pub left_out: Option<Diagnostic>,
    /// The device that times are predicted for, where the tracer ran an experiment whose quantity is measured.
    pub modelled: Option<String>,
}

/// The subject of a sweep.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The parameter that is swept.
    pub over: &'a str,
    /// The quantity that is plotted; None if nothing is.
    pub quantity: Option<&'a Quantity>,
    /// The device to predict times for, where the tracer runs what a device would measure.
    pub modelled: Option<&'a Chosen<'a>>,
}

impl<'a> Subject<'a> {
    /// An experiment that `backend` runs.
    #[must_use]
    pub fn of(experiment: &'a Experiment, backend: Backend, modelled: Option<&'a Chosen<'a>>) -> Self {
        let is_predicted = backend == Backend::Simt && !experiment.quantity.is_traced();
        let modelled = modelled.filter(|_| is_predicted);
        Self { over: &experiment.over, quantity: Some(&experiment.quantity), modelled }
    }

    /// A purpose with the counts that predictions need.
    #[must_use]
    pub fn purpose(self, mut purpose: Purpose) -> Purpose {
        if let (Some(spec), Some(chosen)) = (&mut purpose.trace, self.modelled) {
            spec.caches = model::caches(chosen.spec, false);
        }
        purpose
    }

    /// The time of a program, or of one of its passes, on the modelled device.
    fn predicted_s(self, done: &Done, pass: Option<&str>) -> Option<f64> {
        let point = whole((&done.job, &done.record), pass, false, self.modelled?).ok()?.point?;
        Some(point.point_s)
    }
}

/// The device that runs an experiment: the tracer if it plots counts, else `device`.
#[must_use]
pub fn device_for(experiment: &Experiment, device: &Device) -> Device {
    if experiment.quantity.is_traced() { simt::device() } else { device.clone() }
}

/// The parameters that an experiment runs at: `params`, overridden by the experiment's own if a GPU measures it.
#[must_use]
pub fn settings_for(experiment: &Experiment, device: &Device, params: &Params) -> Params {
    let measures = !device.software && !experiment.quantity.is_traced();
    jobs::with(params, if measures { &experiment.at } else { &[] })
}

/// The points of an experiment on a device, and why some are left out.
pub struct Plan<'a> {
    /// The parameter's value and what to run at it.
    pub points: Vec<(f64, &'a Curve)>,
    /// Why points are left out.
    pub left_out: Option<Diagnostic>,
}

/// An experiment's points on a device. Without a GPU the largest are left out: a matrix product of a millisecond on a
/// GPU would take an hour.
#[must_use]
pub fn plan<'a>(lesson: &Lesson, experiment: &'a Experiment, device: &Device, base: &Params) -> Plan<'a> {
    let over = &experiment.over;
    let all = every(&curves_of(lesson, experiment, device.backend), &experiment.values);
    let most = if device.software { cost::STAND_IN } else { f64::INFINITY };
    let work = |x: f64, curve: &Curve| cost::needed(lesson, &curve.variant, &jobs::with(base, &[(over.clone(), x)]));
    let (points, large): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(x, curve)| work(*x, curve).is_none_or(|work| work <= most));
    let left_out = large.iter().map(|(x, _)| *x).min_by(f64::total_cmp).map(|first| {
        let message = format!(
            "{} of the {} points of “{}” are left out, from {over} = {first} on: without a GPU they would take too long",
            large.len(),
            large.len() + points.len(),
            experiment.title,
        );
        Diagnostic::warning(message)
            .hint("the curves of a recording have them; `warpbook sweep` runs any point, however long it takes")
    });
    Plan { points, left_out }
}

/// Each curve at each value, value by value.
fn every<'a>(curves: &(impl Iterator<Item = &'a Curve> + Clone), values: &[f64]) -> Vec<(f64, &'a Curve)> {
    values.iter().flat_map(|x| curves.clone().map(|curve| (*x, curve))).collect()
}

/// Runs `points`: each has a value of the parameter that is swept and the program to run at it. The other parameters are
/// those of `base`. `on_point` gets each result as it comes. A point that fails has its error, and the sweep goes on;
/// one that the parameters or the device rule out has a warning. If ranks run it
/// `together`, a point at which they are lost is the last.
pub fn run_points(
    runner: &Runner<'_>,
    mut together: Option<&mut Together>,
    subject: Subject<'_>,
    points: &[(f64, &Curve)],
    base: &Params,
    on_point: &mut dyn FnMut(SweepPoint, Vec<Diagnostic>),
) {
    for &(x, Curve { id, variant, pass, .. }) in points {
        if runner.cancel.load(Ordering::Relaxed) {
            return;
        }
        let params = jobs::with(base, &[(subject.over.to_owned(), x)]);
        let done = match &mut together {
            Some(together) => together.program(runner, variant, &params),
            None => runner.program(variant, &params),
        };
        let (kernel, done, problems) = runner.output_of(done, (id, variant, pass.as_deref()), &params);
        let problems =
            if kernel.ok.is_none() { problems.into_iter().map(Diagnostic::as_warning).collect() } else { problems };
        let quantity = subject.quantity;
        let value = done.as_ref().and_then(|done| value(runner.lesson, quantity?, variant, &params, &done.record));
        let predicted_s = done.as_ref().and_then(|done| subject.predicted_s(done, pass.as_deref()));
        let warnings = done.map(|d| d.record.warnings).unwrap_or_default();
        on_point(SweepPoint { x, kernel, value, predicted_s, warnings }, problems);
        if together.as_ref().is_some_and(|together| together.is_over()) {
            return;
        }
    }
}

/// The lesson's value that an experiment plots, with the results of one run.
fn value(lesson: &Lesson, quantity: &Quantity, variant: &Variant, params: &Params, record: &Record) -> Option<f64> {
    let Quantity::Value(id) = quantity else { return None };
    let value = lesson.values.iter().find(|value| value.id == *id)?;
    let mut results = Results::default();
    results.insert_record(&variant.program, record);
    Env::new(lesson, params, &results).eval(&value.expr).ok()
}

/// The curves of an experiment that a backend runs.
pub fn curves_of<'a>(
    lesson: &Lesson,
    experiment: &'a Experiment,
    backend: Backend,
) -> impl Iterator<Item = &'a Curve> + Clone {
    experiment.curves.iter().filter(move |curve| lesson.runs_on(&curve.variant, backend))
}

/// Sweeps one parameter of a lesson.
///
/// # Errors
/// When the lesson, a kernel, a program, a parameter, a value or the backend does not exist.
pub fn sweep(
    devices: &Devices,
    pack: &Pack,
    lesson_id: &str,
    (over, values): (&str, &[f64]),
    options: &RunOptions,
    cancel: &AtomicBool,
    on_point: &mut dyn FnMut(&SweepPoint, &[Diagnostic]),
) -> Result<SweepOutput, Diagnostic> {
    let lesson = run::lesson(pack, lesson_id)?;
    let chosen = options.which.of(lesson)?.into_iter().map(|(program, variant)| Curve {
        id: program.id.clone(),
        title: program.title.clone(),
        variant,
        pass: None,
    });
    let mut curves: Vec<Curve> = chosen.collect();
    let base = run::params(lesson, &options.set)?;
    for value in values {
        run::params(lesson, &[(over.to_owned(), *value)])?;
    }
    let (device, instead) = devices.resolve(options.backend)?;
    let mut warnings: Vec<Warning> = instead.into_iter().map(run::lost_device).collect();
    if !options.which.names_any() {
        curves.retain(|curve| {
            let elsewhere = lesson.elsewhere(&curve.variant, device.backend);
            warnings.extend(elsewhere.first().map(|kernel| run::left_out(kernel.not_here())));
            elsewhere.is_empty()
        });
    }
    let purpose = run::purpose(device.backend, options.seed, options.bounds_checks).with_warps_of(options.warp_width);
    let runner = Runner { devices, backend: device.backend, lesson, purpose: &purpose, cancel };
    let mut found = Vec::new();
    let subject = Subject { over, quantity: None, modelled: None };
    run_points(&runner, None, subject, &every(&curves.iter(), values), &base, &mut |point, problems| {
        on_point(&point, &problems);
        found.push(point);
    });
    let params = base.into_iter().filter(|(id, _)| id != over).collect();
    Ok(SweepOutput {
        lesson: lesson.id.clone(),
        backend: device.backend,
        device: device.name,
        seed: options.seed,
        warp_width: run::traced_width(&purpose),
        params,
        over: over.to_owned(),
        points: found,
        warnings,
    })
}

/// The column of the value that an experiment plots.
pub const VALUE: &str = "value";

/// A sweep as CSV: one row a point, times in seconds, every sample in the last column; empty cells were not measured.
/// Where a value is plotted, it is in one more column at the end.
#[must_use]
pub fn csv_rows(over: &str, points: &[SweepPoint]) -> (Vec<String>, Vec<Vec<String>>) {
    let header = [
        over,
        "kernel",
        "ok",
        "median_s",
        "p10_s",
        "p90_s",
        "samples",
        "bytes_per_s",
        "flops_per_s",
        "load_sectors",
        "store_sectors",
        "library",
        "library_median_s",
        csv::SAMPLES,
    ];
    let mut header: Vec<String> = header.iter().map(ToString::to_string).collect();
    let mut rows: Vec<Vec<String>> = points.iter().map(point_row).collect();
    // Only experiments plot a value of the lesson.
    if points.iter().any(|point| point.value.is_some()) {
        header.push(VALUE.to_owned());
        for (row, point) in rows.iter_mut().zip(points) {
            row.push(point.value.map(|value| value.to_string()).unwrap_or_default());
        }
    }
    (header, rows)
}

fn point_row(point: &SweepPoint) -> Vec<String> {
    let cell = |value: Option<f64>| value.map(|v| format!("{v:.6e}")).unwrap_or_default();
    let time = point.kernel.time.as_ref();
    let trace = point.kernel.trace.as_ref();
    let library = point.kernel.library.as_ref();
    vec![
        format!("{}", point.x),
        point.kernel.id.clone(),
        point.kernel.ok.map_or_else(|| "skipped".to_owned(), |ok| ok.to_string()),
        cell(time.map(|t| t.median_s)),
        cell(time.map(|t| t.p10_s)),
        cell(time.map(|t| t.p90_s)),
        time.map(|t| t.samples.to_string()).unwrap_or_default(),
        cell(point.kernel.bytes_per_s),
        cell(point.kernel.flops_per_s),
        trace.map(|t| t.global.load.sectors.to_string()).unwrap_or_default(),
        trace.map(|t| t.global.store.sectors.to_string()).unwrap_or_default(),
        library.filter(|l| l.ok).map(LibraryOutput::words).unwrap_or_default(),
        cell(library.filter(|l| l.ok).and_then(|l| l.time.as_ref()).map(|t| t.median_s)),
        time.map(|t| t.each_s.iter().map(|s| format!("{s:.4e}")).collect::<Vec<_>>().join(" ")).unwrap_or_default(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::Work;
    use crate::session::run::output::KernelOutput;

    #[test]
    fn a_plotted_value_is_a_column() {
        let point = |value| SweepPoint {
            x: 2.0,
            kernel: KernelOutput::sampled("copy", Work { bytes: 8.0, flops: 0.0 }, 1.0),
            value,
            predicted_s: None,
            warnings: Vec::new(),
        };
        let (header, rows) = csv_rows("n", &[point(None)]);
        assert_eq!((header.last().map(String::as_str), rows[0].len()), (Some("samples_s"), header.len()));
        let (header, rows) = csv_rows("n", &[point(None), point(Some(0.25))]);
        assert_eq!(header.last().map(String::as_str), Some(VALUE));
        assert_eq!(rows.iter().filter_map(|row| row.last().cloned()).collect::<Vec<_>>(), ["", "0.25"]);
    }
}
