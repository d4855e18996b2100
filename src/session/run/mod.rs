//! Running a lesson's kernels and programs: check, time and trace each.

pub mod asserted;
pub mod bill;
pub mod check_failure;
pub mod compare;
pub mod computes;
pub mod counters;
mod cuda_arguments;
pub mod cuda_file;
mod cuda_named;
#[cfg(feature = "cuda")]
mod cuda_program;
pub mod devices;
pub mod doctor;
mod done;
pub mod explain;
mod fit_advice;
pub mod given;
pub mod in_cuda;
#[cfg(feature = "cuda")]
mod inductor;
mod interpreter;
pub mod io;
pub mod ladder;
#[cfg(feature = "cuda")]
pub mod launches;
mod lesson_run;
pub mod model;
pub mod origin;
pub mod output;
#[cfg(feature = "cuda")]
mod pass_list;
pub mod pipeline;
pub mod pointee;
mod pointees;
mod program_output;
pub mod ptx;
pub mod python;
pub mod ranks_run;
mod resolved;
pub mod shader_file;
mod signature;
#[cfg(feature = "cuda")]
mod structures;
pub mod table;
mod trace_options;
pub mod whole;

pub use done::Done;
pub use lesson_run::{Ran, run};

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use self::check_failure::failed_check;
use self::devices::{Choice, Devices};
use self::io::Io;
use self::model::{Chosen, Predicted, Traced};
use self::output::KernelOutput;
use self::whole::{Whole, whole};
use super::jobs::{self, Params, Purpose, cost};
use crate::base::diag::{Diagnostic, Severity};
use crate::device::DeviceSpec;
use crate::job::{Job, Language, MeasureSpec, TraceSpec};
use crate::lesson::{Lesson, Pack, Variant};
use crate::session::jobs::selection::unknown;
use crate::trace::Trace;
use crate::trace::record::{Backend, Ceilings, Warning, WarningKind};

pub use crate::session::jobs::selection::Which;

/// Options of a run: the kernels and programs, and how to run them.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Which kernels and programs.
    pub which: Which,
    /// Parameters that differ from their defaults.
    pub set: Vec<(String, f64)>,
    /// The backend asked for.
    pub backend: Choice,
    /// Seed of the random inputs.
    pub seed: u64,
    /// Guard indices on the device.
    pub bounds_checks: bool,
    /// The devices that can be modelled; if empty, nothing is predicted.
    pub models: Vec<DeviceSpec>,
    /// The device to model, by id; if None, the measuring one if it can be modelled.
    pub device: Option<String>,
    /// Lanes in a warp of the tracer; a device has its own.
    pub warp_width: u32,
    /// The language of the kernels that the tracer runs.
    pub language: Language,
    /// Buffer contents from files, into files, or to be printed.
    pub io: Io,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            which: Which::default(),
            set: Vec::new(),
            backend: Choice::Auto,
            seed: 1,
            bounds_checks: true,
            models: Vec::new(),
            device: None,
            warp_width: 32,
            language: Language::default(),
            io: Io::default(),
        }
    }
}

/// A backend's purpose: the tracer traces, a device measures.
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

/// Lanes in a traced warp; None if the purpose traces nothing.
#[must_use]
pub fn traced_width(purpose: &Purpose) -> Option<u32> {
    purpose.trace.as_ref().map(|spec| spec.warp_width)
}

/// The lesson of this id.
///
/// # Errors
/// When there is none: lists those that exist.
pub fn lesson<'a>(pack: &'a Pack, id: &str) -> Result<&'a Arc<Lesson>, Diagnostic> {
    let known = pack.lessons.iter().map(|l| l.id.as_str());
    let found = pack.lessons.iter().find(|l| l.id == id);
    found.ok_or_else(|| unknown(format!("there is no lesson `{id}`"), id, known))
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
            return Err(Diagnostic::error(format!("{id} cannot be {value}")).hint(param.domain.advice(*value)));
        }
    }
    Ok(jobs::with(&jobs::defaults(lesson), set))
}

/// Runs a lesson's programs on a backend, with a purpose.
#[derive(Clone, Copy)]
pub struct Runner<'a> {
    /// The backends.
    pub devices: &'a Devices,
    pub backend: Backend,
    pub lesson: &'a Lesson,
    /// Tasks besides running.
    pub purpose: &'a Purpose,
    /// Set when the result is no longer wanted.
    pub cancel: &'a AtomicBool,
}

impl Runner<'_> {
    /// One program at some parameters.
    pub fn program(&self, variant: &Variant, params: &Params) -> Result<Done, Vec<Diagnostic>> {
        let ran = jobs::build(self.lesson, variant, params, self.purpose).and_then(|job| self.job(job));
        ran.map_err(|mut problems| {
            if let Ok(device) = self.devices.describe(self.backend) {
                let at = |params: &Params| jobs::buffers(self.lesson, variant, params);
                fit_advice::advise(self.lesson, params, &device, &at, &mut problems);
            }
            problems
        })
    }

    /// One job.
    pub fn job(&self, job: Job) -> Result<Done, Vec<Diagnostic>> {
        let record = self.devices.run(self.backend, &job, self.cancel, &mut |_| {}).map_err(|d| vec![d])?;
        Ok(Done { job, record })
    }

    /// The device model's prediction for a kernel that ran alone: from its trace, or from a new one if a device
    /// measured it. None if it cannot be traced, with the reasons as warnings.
    pub fn predict(
        &self,
        chosen: &Chosen<'_>,
        variant: &Variant,
        params: &Params,
        done: &Done,
        ceilings: &Ceilings,
    ) -> Prediction {
        let retraced = match done.record.backend {
            Backend::Simt => Ok(None),
            Backend::Wgpu | Backend::Cuda if !self.lesson.runs_on(variant, Backend::Simt) => {
                return Prediction::default();
            }
            Backend::Wgpu | Backend::Cuda => self.traced(chosen, variant, params).map(Some),
        };
        let retraced = match retraced {
            Ok(retraced) => retraced,
            Err(problems) => {
                let problems = problems.into_iter().map(as_warning).collect();
                return Prediction { problems, ..Prediction::default() };
            }
        };
        let traced = retraced.as_ref().unwrap_or(done);
        let launch = traced.launch(0);
        let pass = traced.record.pass(0);
        let known = pass.zip(launch.as_ref()).and_then(|(pass, launch)| Traced::of_pass(&traced.job, pass, 0, launch));
        let predicted = known.map(|known| {
            let measured_s = done.record.timing.as_ref().map(|timing| timing.median_s);
            model::predicted(chosen, &Traced { needs: Some(done.record.work), ..known }, ceilings, measured_s)
        });
        // Counts that some workgroups stand for are no counts.
        let is_sampled = traced.job.trace.as_ref().is_some_and(|spec| spec.sample.is_some());
        let trace = pass.and_then(|pass| pass.trace.as_ref()).filter(|_| !is_sampled);
        Prediction { predicted, trace: trace.cloned(), problems: Vec::new() }
    }

    /// The device model's time for a program: from its trace, or from a new one if a device measured it. None if it cannot be traced.
    pub fn predict_program(
        &self,
        chosen: &Chosen<'_>,
        variant: &Variant,
        params: &Params,
        done: &Done,
    ) -> Option<Whole> {
        if done.record.backend == Backend::Simt {
            return whole((&done.job, &done.record), None, false, chosen).ok();
        }
        let traced = self.traced(chosen, variant, params).ok()?;
        whole((&traced.job, &traced.record), None, false, chosen).ok()
    }

    /// A program's counts and those of a device's caches, without checking its result again. Of much work some workgroups stand for all.
    fn traced(&self, chosen: &Chosen<'_>, variant: &Variant, params: &Params) -> Result<Done, Vec<Diagnostic>> {
        let mut purpose = Purpose { check: false, ..purpose(Backend::Simt, self.purpose.seed, true) };
        let job = jobs::sketch(self.lesson, variant, params);
        if let Some(spec) = &mut purpose.trace {
            spec.caches = model::caches(chosen.spec, false);
            spec.sample = job.as_ref().filter(|job| cost::is_large(job)).map(cost::sample);
        }
        Runner { backend: Backend::Simt, purpose: &purpose, ..*self }.program(variant, params)
    }

    /// Whether a program is skipped because the device or its requirements rule it out.
    fn is_skipped(&self, variant: &Variant, params: &Params, problems: &[Diagnostic]) -> bool {
        self.lesson.unmet(variant, params).is_some() || is_not_here(problems)
    }

    /// As [`Runner::program`], as an output under the name `id`, of the whole or of a pass; with its problems.
    pub fn output(
        &self,
        of: (&str, &Variant, Option<&str>),
        params: &Params,
    ) -> (KernelOutput, Option<Done>, Vec<Diagnostic>) {
        self.output_of(self.program(of.1, params), of, params)
    }

    /// As [`Runner::output`], for a program that has run.
    pub fn output_of(
        &self,
        done: Result<Done, Vec<Diagnostic>>,
        (id, variant, pass): (&str, &Variant, Option<&str>),
        params: &Params,
    ) -> (KernelOutput, Option<Done>, Vec<Diagnostic>) {
        match done {
            Ok(done) => {
                let problems = self.lesson.named(failed_check(&done.job, &done.record));
                let place = pass.and_then(|pass| done.job.passes.iter().position(|known| known.id == pass));
                (KernelOutput::of(id, &done.record, place), Some(done), problems)
            }
            Err(problems) => {
                let skipped = self.is_skipped(variant, params, &problems);
                let problems = self.lesson.named(problems);
                (KernelOutput::failed(id, &problems, skipped), None, problems)
            }
        }
    }
}

/// A kernel's predicted time, with the trace that it was made from.
#[derive(Default)]
pub struct Prediction {
    /// Its time by a device's model.
    pub predicted: Option<Predicted>,
    /// The counts that the prediction was made from.
    pub trace: Option<Trace>,
    /// Why there are none, as warnings.
    pub problems: Vec<Diagnostic>,
}

/// Whether a program's only problem is that it cannot run on this device.
#[must_use]
pub fn is_not_here(problems: &[Diagnostic]) -> bool {
    !problems.is_empty() && problems.iter().all(|problem| problem.not_here)
}

/// A device's failure as a warning.
pub(super) fn lost_device(problem: Diagnostic) -> Warning {
    Warning { kind: WarningKind::LostDevice, message: problem.message, hint: problem.hint.unwrap_or_default() }
}

/// Why something was left out, as a warning.
pub(super) fn left_out(problem: Diagnostic) -> Warning {
    let message = format!("left out: {}", problem.message);
    Warning { kind: WarningKind::NotHere, message, hint: problem.hint.unwrap_or_default() }
}

/// Why no time is predicted, as a warning.
fn as_warning(problem: Diagnostic) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, message: format!("no time is predicted: {}", problem.message), ..problem }
}

/// The backends that a lesson needs, for `list`.
#[must_use]
pub fn needs(lesson: &Lesson) -> Vec<&'static str> {
    let mut needs = vec!["simt"];
    if lesson.experiments.iter().any(|e| !e.quantity.is_traced()) {
        needs.push("gpu (optional, for measured times)");
    }
    if lesson.kernels.iter().any(|kernel| kernel.cuda_only().is_some()) {
        needs.push("cuda (optional, for kernels in CUDA C++ only)");
    }
    needs
}
