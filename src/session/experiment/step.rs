//! An experiment at the settings of the first step that shows it.

use std::sync::atomic::AtomicBool;

use super::sweep::{self, Subject, Sweep};
use crate::base::diag::Diagnostic;
use crate::job::TraceSpec;
use crate::lesson::{Experiment, Lesson};
use crate::session::jobs::{self, Params};
use crate::session::run::devices::Devices;
use crate::session::run::model::Chosen;
use crate::session::run::ranks_run::Together;
use crate::session::run::{self, Runner};
use crate::trace::record::Device;

/// The parameters at which an experiment begins: those of the first step that shows it.
#[must_use]
pub fn settings_of(lesson: &Lesson, experiment: &Experiment, device: &Device) -> Params {
    let step = lesson.steps.iter().find(|s| s.experiment.as_ref() == Some(&experiment.id));
    let base = jobs::with(&jobs::defaults(lesson), step.map(|s| s.set.as_slice()).unwrap_or_default());
    sweep::settings_for(experiment, device, &base)
}

/// How the experiments of a note or a recording run.
#[derive(Clone, Copy)]
pub struct Conditions<'a> {
    /// The seed of random inputs.
    pub seed: u64,
    /// Whether the device's compiler guards indices.
    pub bounds_checks: bool,
    /// The device to predict times for, where the tracer runs it.
    pub modelled: Option<&'a Chosen<'a>>,
}

/// An experiment at the parameters of the first step that shows it; run here
/// alone, or `together` with other ranks.
#[must_use]
pub fn sweep_of(
    devices: &Devices,
    lesson: &Lesson,
    experiment: &Experiment,
    device: &Device,
    Conditions { seed, bounds_checks, modelled }: Conditions<'_>,
    together: Option<&mut Together>,
    cancel: &AtomicBool,
) -> (Sweep, Vec<Diagnostic>) {
    let base = settings_of(lesson, experiment, device);
    let device = sweep::device_for(experiment, device);
    let backend = device.backend;
    let subject = Subject::of(experiment, backend, modelled);
    let purpose = subject.purpose(run::purpose(backend, seed, bounds_checks));
    let runner = Runner { devices, backend, lesson, purpose: &purpose, cancel };
    let elsewhere =
        experiment.curves.iter().filter_map(|curve| lesson.elsewhere(&curve.variant, backend).into_iter().next());
    let mut problems: Vec<Diagnostic> = elsewhere.map(|kernel| kernel.not_here().as_warning()).collect();
    let plan = sweep::plan(lesson, experiment, &device, &base);
    problems.extend(plan.left_out.clone());
    let mut points = Vec::new();
    sweep::run_points(&runner, together, subject, &plan.points, &base, &mut |point, mut wrong| {
        points.push(point);
        problems.append(&mut wrong);
    });
    let total = points.len();
    let over = experiment.over.clone();
    let found = Sweep {
        number: 0,
        bounds_checks,
        warp_width: TraceSpec::default().warp_width,
        backend,
        device: device.name,
        params: base,
        over,
        points,
        total,
        left_out: plan.left_out,
        modelled: subject.modelled.map(|chosen| chosen.spec.name.clone()),
    };
    (found, problems)
}
