//! Running a lesson's kernels: check, time and trace each.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::devices::{Choice, Devices};
use super::jobs::{self, Params, Purpose};
use super::ladder;
use super::model::{self, Chosen, Predicted};
use super::output::{KernelOutput, RunOutput};
use crate::base::diag::{Diagnostic, Severity, nearest};
use crate::device::{DeviceSpec, Launch};
use crate::job::{MeasureSpec, TraceSpec};
use crate::lesson::scope::{Env, Results};
use crate::lesson::{Kernel, Lesson, Pack, Value};
use crate::measure::roofline::{self, Placement};
use crate::trace::record::{Backend, Ceilings, Record, Warning, WarningKind};

/// What to run, and how.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Kernels by id; none means all.
    pub kernels: Vec<String>,
    /// Parameters that differ from their defaults.
    pub set: Vec<(String, f64)>,
    /// The backend asked for.
    pub backend: Choice,
    /// Seed of the random inputs.
    pub seed: u64,
    /// Guard indices on the device.
    pub bounds_checks: bool,
    /// The devices that can be modelled; without any nothing is predicted.
    pub models: Vec<DeviceSpec>,
    /// The device to model, by id; the measuring one where none is given and it can be.
    pub device: Option<String>,
    /// Lanes in a warp of the tracer; a device has its own.
    pub warp_width: u32,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            kernels: Vec::new(),
            set: Vec::new(),
            backend: Choice::Auto,
            seed: 1,
            bounds_checks: true,
            models: Vec::new(),
            device: None,
            warp_width: 32,
        }
    }
}

/// What a backend is for: the tracer traces, a device measures.
#[must_use]
pub fn purpose(backend: Backend, seed: u64, bounds_checks: bool) -> Purpose {
    let traces = backend == Backend::Simt;
    Purpose {
        seed,
        check: true,
        measure: (!traces).then(MeasureSpec::default),
        trace: traces.then(TraceSpec::default),
        bounds_checks,
    }
}

/// Lanes in a warp of what a purpose traces; none where it traces nothing.
#[must_use]
pub fn traced_width(purpose: &Purpose) -> Option<u32> {
    purpose.trace.as_ref().map(|spec| spec.warp_width)
}

/// The lesson of this id.
///
/// # Errors
/// When there is none: which there are.
pub fn lesson<'a>(pack: &'a Pack, id: &str) -> Result<&'a Arc<Lesson>, Diagnostic> {
    let known = pack.lessons.iter().map(|l| l.id.as_str());
    let found = pack.lessons.iter().find(|l| l.id == id);
    found.ok_or_else(|| unknown(format!("there is no lesson `{id}`"), id, known))
}

/// A name that is none of `known`: the one that was probably meant, or all there are.
fn unknown<'a>(message: String, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Diagnostic {
    let hint = match nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", known.collect::<Vec<_>>().join(", ")),
    };
    Diagnostic::error(message).hint(hint)
}

/// The kernels of these ids, in the lesson's order; all where none is named.
///
/// # Errors
/// When an id is no kernel's.
pub fn kernels<'a>(lesson: &'a Lesson, ids: &[String]) -> Result<Vec<&'a Kernel>, Diagnostic> {
    for id in ids {
        if lesson.kernel(id).is_none() {
            let known = lesson.kernels.iter().map(|k| k.id.as_str());
            return Err(unknown(format!("lesson `{}` has no kernel `{id}`", lesson.id), id, known));
        }
    }
    Ok(lesson.kernels.iter().filter(|k| ids.is_empty() || ids.contains(&k.id)).collect())
}

/// The defaults with `set` applied, every id and value checked.
///
/// # Errors
/// When an id is no parameter's, or a value is outside its domain.
pub fn params(lesson: &Lesson, set: &[(String, f64)]) -> Result<Params, Diagnostic> {
    for (id, value) in set {
        let Some(param) = lesson.param(id) else {
            let known = lesson.params.iter().map(|p| p.id.as_str());
            return Err(unknown(format!("lesson `{}` has no parameter `{id}`", lesson.id), id, known));
        };
        if !param.domain.accepts(*value) {
            return Err(Diagnostic::error(format!("{id} cannot be {value}"))
                .hint(format!("it takes {}", param.domain.describe())));
        }
    }
    Ok(jobs::with(&jobs::defaults(lesson), set))
}

/// Where a lesson's kernels run, and what is done with each.
#[derive(Clone, Copy)]
pub struct Runner<'a> {
    /// The backends.
    pub devices: &'a Devices,
    /// The one that runs.
    pub backend: Backend,
    /// The lesson.
    pub lesson: &'a Lesson,
    /// What to do besides launching.
    pub purpose: &'a Purpose,
    /// Set when nobody wants the result any more.
    pub cancel: &'a AtomicBool,
}

/// A kernel that ran.
#[derive(Clone, Debug)]
pub struct Done {
    /// What came of it.
    pub record: Record,
    /// Bytes that its work needs to move.
    pub bytes: f64,
    /// Floating-point operations that its work needs.
    pub flops: f64,
    /// How it was launched.
    pub launch: Option<Launch>,
}

impl Runner<'_> {
    /// One kernel at some parameters.
    ///
    /// # Errors
    /// Whatever kept it from running, all of it.
    pub fn kernel(&self, kernel: &Kernel, params: &Params) -> Result<Done, Vec<Diagnostic>> {
        let job = jobs::build(self.lesson, kernel, params, self.purpose)?;
        let record = self.devices.run(self.backend, &job, self.cancel, &mut |_| {}).map_err(|d| vec![d])?;
        Ok(Done { record, bytes: job.bytes, flops: job.flops, launch: model::launch(&job) })
    }

    /// What the model of a device says of a kernel that ran: from its trace, or from one made for it where a device measured. None where it
    /// cannot be traced, with why as warnings.
    pub fn predict(
        &self,
        chosen: &Chosen<'_>,
        kernel: &Kernel,
        params: &Params,
        done: &Done,
        ceilings: &Ceilings,
    ) -> (Option<Predicted>, Vec<Diagnostic>) {
        // A prediction is made of a trace, and what has none was never to have one.
        if !kernel.runs_on(Backend::Simt) {
            return (None, Vec::new());
        }
        let retraced = match &done.record.trace {
            Some(_) => Ok(None),
            None => self.traced(kernel, params).map(Some),
        };
        let retraced = match retraced {
            Ok(retraced) => retraced,
            Err(problems) => return (None, problems.into_iter().map(as_warning).collect()),
        };
        let traced = retraced.as_ref().unwrap_or(done);
        let predicted = traced.record.trace.as_ref().zip(traced.launch.as_ref()).map(|(trace, launch)| {
            let traced = model::Traced { launch, trace, needs: Some((done.bytes, done.flops)) };
            let measured_s = done.record.timing.as_ref().map(|timing| timing.median_s);
            model::predicted(chosen, &traced, ceilings, measured_s)
        });
        (predicted, Vec::new())
    }

    /// The kernel's counts, without checking its result again.
    fn traced(&self, kernel: &Kernel, params: &Params) -> Result<Done, Vec<Diagnostic>> {
        let purpose = Purpose { check: false, ..purpose(Backend::Simt, self.purpose.seed, true) };
        Runner { backend: Backend::Simt, purpose: &purpose, ..*self }.kernel(kernel, params)
    }

    /// As [`Runner::kernel`], as an output with what is wrong with it.
    pub fn output(&self, kernel: &Kernel, params: &Params) -> (KernelOutput, Option<Done>, Vec<Diagnostic>) {
        match self.kernel(kernel, params) {
            Ok(done) => {
                let problems = failed_check(&kernel.file, &done.record).into_iter().collect();
                (KernelOutput::of(&done.record, done.bytes, done.flops), Some(done), problems)
            }
            Err(problems) => {
                let message = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
                let impossible = self.lesson.unmet(kernel, params).is_some() || is_not_here(&problems);
                (KernelOutput { impossible, ..KernelOutput::failed(&kernel.id, message) }, None, problems)
            }
        }
    }
}

/// Runs kernels one after the other; `on_kernel` sees each outcome as it comes.
///
/// # Errors
/// When the lesson, a kernel, a parameter or the backend does not exist. A kernel that fails is part of the output.
pub fn run(
    devices: &Devices,
    pack: &Pack,
    lesson_id: &str,
    options: &RunOptions,
    cancel: &AtomicBool,
    on_kernel: &mut dyn FnMut(&KernelOutput, &[Diagnostic]),
) -> Result<RunOutput, Diagnostic> {
    let lesson = lesson(pack, lesson_id)?;
    let kernels = kernels(lesson, &options.kernels)?;
    let params = params(lesson, &options.set)?;
    let device = devices.resolve(options.backend)?;
    let chosen = model::choose(&options.models, options.device.as_deref(), &device)?;
    let ceilings = devices.ceilings(device.backend)?;
    let purpose = purpose(device.backend, options.seed, options.bounds_checks).with_warps_of(options.warp_width);
    let mut results = Results::default();
    let mut output = RunOutput {
        lesson: lesson.id.clone(),
        backend: device.backend,
        device: device.name,
        seed: options.seed,
        warp_width: traced_width(&purpose),
        params: params.clone(),
        values: BTreeMap::new(),
        kernels: Vec::new(),
        ladder: Vec::new(),
        warnings: Vec::new(),
    };
    let runner = Runner { devices, backend: device.backend, lesson, purpose: &purpose, cancel };
    let mut done: Vec<Done> = Vec::new();
    for kernel in kernels {
        // Whoever names a kernel wants that one, and whoever runs a lesson what can be had of it, at any size.
        if options.kernels.is_empty() && !kernel.runs_on(device.backend) {
            output.warnings.push(left_out(kernel.not_here()));
            continue;
        }
        let (mut outcome, ran, mut problems) = runner.output(kernel, &params);
        if options.kernels.is_empty() && is_not_here(&problems) {
            output.warnings.extend(problems.into_iter().map(left_out));
            continue;
        }
        if let Some(ran) = ran {
            results.insert_record(&kernel.id, &ran.record, ran.bytes, ran.flops);
            outcome.roofline = placement(&ran, &ceilings);
            if let Some(chosen) = &chosen {
                let (predicted, unpredicted) = runner.predict(chosen, kernel, &params, &ran, &ceilings);
                outcome.predicted = predicted;
                problems.extend(unpredicted);
            }
            let before =
                ladder::before(lesson, kernel).and_then(|b| done.iter().find(|d: &&Done| d.record.kernel == b.id));
            output.ladder.extend(
                before
                    .and_then(|b| ladder::compare(&ran.record, (ran.bytes, ran.flops), &b.record, (b.bytes, b.flops))),
            );
            for warning in &ran.record.warnings {
                if !output.warnings.contains(warning) {
                    output.warnings.push(warning.clone());
                }
            }
            done.push(ran);
        }
        on_kernel(&outcome, &problems);
        output.kernels.push(outcome);
    }
    results.insert_ceilings(&ceilings);
    let env = Env::new(lesson, &params, &results);
    output.values = lesson.values.iter().map(|v: &Value| (v.id.clone(), env.eval(&v.expr).ok())).collect();
    Ok(output)
}

/// Whether nothing is wrong with a kernel but that it cannot run on this device.
#[must_use]
pub fn is_not_here(problems: &[Diagnostic]) -> bool {
    !problems.is_empty() && problems.iter().all(|problem| problem.not_here)
}

/// Why a kernel was left out, as a warning.
pub(super) fn left_out(problem: Diagnostic) -> Warning {
    let message = format!("left out: {}", problem.message);
    Warning { kind: WarningKind::NotHere, message, hint: problem.hint.unwrap_or_default() }
}

/// The same as a warning: the kernel itself ran.
fn as_warning(problem: Diagnostic) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, message: format!("no time is predicted: {}", problem.message), ..problem }
}

/// Where a kernel stands under the device's ceilings.
fn placement(done: &Done, ceilings: &Ceilings) -> Option<Placement> {
    let timing = done.record.timing.as_ref()?;
    roofline::place(done.bytes, done.flops, timing.median_s, ceilings)
}

/// A failed check as a message, with the first element that is wrong.
#[must_use]
pub fn failed_check(file: &str, record: &Record) -> Option<Diagnostic> {
    let check = record.check.as_ref().filter(|c| !c.ok)?;
    let first = check
        .first_wrong
        .map(|(i, got, expected)| {
            let got = if got.is_nan() { "was never written, or is no number".to_owned() } else { format!("is {got}") };
            format!("; element {i} {got}, and should be {expected}")
        })
        .unwrap_or_default();
    Some(
        Diagnostic::error(format!(
            "kernel `{}` gives a wrong result on {}: relative error {:e} against `{}`{first}",
            record.kernel,
            record.backend.name(),
            check.max_rel_error,
            check.reference
        ))
        .in_file(file)
        .hint("no time is shown for a wrong result; compare the kernel's indices with the reference's formula"),
    )
}

/// What a lesson needs, for `list`.
#[must_use]
pub fn needs(lesson: &Lesson) -> Vec<&'static str> {
    let mut needs = vec!["simt"];
    if lesson.experiments.iter().any(|e| !e.quantity.is_traced()) {
        needs.push("gpu (optional, for measured times)");
    }
    if lesson.kernels.iter().any(|kernel| kernel.cuda_only.is_some()) {
        needs.push("cuda (optional, for kernels in CUDA C++ only)");
    }
    needs
}
