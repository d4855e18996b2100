//! Running a lesson's kernels and programs: check, time and trace each.

pub mod asserted;
pub mod check_failure;
pub mod compare;
pub mod counters;
pub mod cuda_file;
pub mod devices;
pub mod doctor;
mod done;
pub mod explain;
mod fit_advice;
pub mod given;
pub mod in_cuda;
pub mod io;
pub mod ladder;
pub mod model;
pub mod origin;
pub mod output;
pub mod pipeline;
pub mod pointee;
mod program_output;
pub mod ptx;
pub mod ranks_run;
pub mod shader_file;
mod signature;
pub mod table;

pub use done::Done;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use self::check_failure::failed_check;
use self::devices::{Choice, Devices};
use self::io::Io;
use self::model::{Chosen, Predicted};
use self::output::{KernelOutput, ProgramOutput, RunOutput};
use self::ranks_run::Together;
use super::jobs::{self, Params, Purpose, cost};
use crate::base::diag::{Diagnostic, Severity};
use crate::device::DeviceSpec;
use crate::job::{Job, Language, MeasureSpec, TraceSpec};
use crate::lesson::scope::{Env, Results};
use crate::lesson::{Lesson, Pack, Value, Variant};
use crate::measure::roofline::{self, Placement};
use crate::session::jobs::selection::unknown;
use crate::trace::Trace;
use crate::trace::record::{Backend, Ceilings, Record, Warning, WarningKind};

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
    /// The one that runs.
    pub backend: Backend,
    /// The lesson.
    pub lesson: &'a Lesson,
    /// Tasks besides running.
    pub purpose: &'a Purpose,
    /// Set when the result is no longer wanted.
    pub cancel: &'a AtomicBool,
}

impl Runner<'_> {
    /// One program at some parameters.
    ///
    /// # Errors
    /// All problems that kept it from running.
    pub fn program(&self, variant: &Variant, params: &Params) -> Result<Done, Vec<Diagnostic>> {
        self.job(jobs::build(self.lesson, variant, params, self.purpose)?)
    }

    /// One job.
    ///
    /// # Errors
    /// The problem that kept it from running.
    pub fn job(&self, job: Job) -> Result<Done, Vec<Diagnostic>> {
        let record = self.devices.run(self.backend, &job, self.cancel, &mut |_| {}).map_err(|d| vec![d])?;
        Ok(Done { job, record })
    }

    /// The device model's prediction for a kernel that ran alone: from its trace, or from a new one if a device measured it. None if it
    /// cannot be traced, with the reasons as warnings.
    pub fn predict(
        &self,
        chosen: &Chosen<'_>,
        variant: &Variant,
        params: &Params,
        done: &Done,
        ceilings: &Ceilings,
    ) -> Foreseen {
        // A prediction needs a trace, which takes too long of a kernel in CUDA alone at a GPU's sizes.
        if !cost::is_traced(self.lesson, variant, params) {
            return Foreseen::default();
        }
        let retraced = match done.record.backend {
            Backend::Simt => Ok(None),
            Backend::Wgpu | Backend::Cuda => self.traced(variant, params).map(Some),
        };
        let retraced = match retraced {
            Ok(retraced) => retraced,
            Err(problems) => {
                let problems = problems.into_iter().map(as_warning).collect();
                return Foreseen { problems, ..Foreseen::default() };
            }
        };
        let traced = retraced.as_ref().unwrap_or(done);
        let launch = traced.launch(0);
        let trace = traced.record.pass(0).and_then(|pass| pass.trace.as_ref());
        let predicted = trace.zip(launch.as_ref()).map(|(trace, launch)| {
            let traced = model::Traced { launch, trace, needs: Some(done.record.work), launches: 1, cached: false };
            let measured_s = done.record.timing.as_ref().map(|timing| timing.median_s);
            model::predicted(chosen, &traced, ceilings, measured_s)
        });
        Foreseen { predicted, trace: trace.cloned(), problems: Vec::new() }
    }

    /// A program's counts, without checking its result again.
    fn traced(&self, variant: &Variant, params: &Params) -> Result<Done, Vec<Diagnostic>> {
        let purpose = Purpose { check: false, ..purpose(Backend::Simt, self.purpose.seed, true) };
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

/// Figures of a kernel from its trace, in addition to the measured ones.
#[derive(Default)]
pub struct Foreseen {
    /// Its time by a device's model.
    pub predicted: Option<Predicted>,
    /// The counts that the prediction was made from.
    pub trace: Option<Trace>,
    /// Why there are none, as warnings.
    pub problems: Vec<Diagnostic>,
}

/// The outcome of a lesson's kernel or program, as it comes.
pub enum Ran<'a> {
    /// A kernel by itself.
    Kernel(&'a KernelOutput),
    /// A program of several passes.
    Program(&'a ProgramOutput),
}

impl Ran<'_> {
    /// Its id, and how it went.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Kernel(kernel) => format!("{}: {}", kernel.id, kernel.outcome()),
            Self::Program(program) => format!("{}: {}", program.id, program.outcome()),
        }
    }
}

/// Runs kernels and programs one after the other; `on_outcome` sees each outcome as it comes. If this process is one of several
/// ranks, it first runs the programs that are made for those `together` with the others; and rank 0 alone the rest.
///
/// # Errors
/// When the lesson, a kernel, a program, a parameter, a file or the backend does not exist, or a rank is lost. Other failures are part of
/// the output.
pub fn run(
    devices: &Devices,
    pack: &Pack,
    lesson_id: &str,
    options: &RunOptions,
    mut together: Option<Together>,
    cancel: &AtomicBool,
    on_outcome: &mut dyn FnMut(Ran<'_>, &[Diagnostic]),
) -> Result<RunOutput, Diagnostic> {
    let lesson = lesson(pack, lesson_id)?;
    let mut chosen = options.which.of(lesson)?;
    let params = params(lesson, &options.set)?;
    options.io.fits(&chosen.iter().map(|(program, _)| *program).collect::<Vec<_>>())?;
    let (device, instead) = devices.resolve(options.backend)?;
    let modelled = model::choose(&options.models, options.device.as_deref(), &device)?;
    let has_ranks = together.is_some();
    // Ceilings are not measured with ranks, since only one of them would need them.
    let ceilings = if has_ranks { Ok(Ceilings::default()) } else { devices.ceilings(device.backend, cancel) };
    // The kernels may still run, without comparison to the device's ceilings.
    let unmeasured = ceilings.as_ref().err().cloned();
    let ceilings = ceilings.unwrap_or_default();
    let mut purpose = purpose(device.backend, options.seed, options.bounds_checks).with_warps_of(options.warp_width);
    purpose = purpose.in_language(options.language);
    if let Some(spec) = &mut purpose.trace {
        // The tracer's own order may hide a race: the result is right, or unchecked.
        spec.races = true;
    }
    let mut results = Results::default();
    let mut output = RunOutput {
        lesson: lesson.id.clone(),
        backend: device.backend,
        device: device.name.clone(),
        seed: options.seed,
        warp_width: traced_width(&purpose),
        params: params.clone(),
        values: BTreeMap::new(),
        kernels: Vec::new(),
        programs: Vec::new(),
        ladder: Vec::new(),
        warnings: instead.into_iter().chain(unmeasured).map(lost_device).collect(),
        ranks: together.as_ref().map(Together::output),
        misused: false,
    };
    if has_ranks {
        chosen.sort_by_key(|(program, _)| program.split.is_none());
    }
    let runner = Runner { devices, backend: device.backend, lesson, purpose: &purpose, cancel };
    let mut records: Vec<Record> = Vec::new();
    let mut is_over = false;
    for (program, variant) in chosen {
        if program.split.is_none()
            && let Some(together) = together.take()
            && !together.leave()?
        {
            break;
        }
        let elsewhere = lesson.elsewhere(&variant, device.backend);
        if let Some(kernel) = elsewhere.first().filter(|_| !options.which.is_picky()) {
            output.warnings.push(left_out(kernel.not_here()));
            continue;
        }
        let ran = jobs::build(lesson, &variant, &params, &purpose).and_then(|mut job| {
            let applied = options.io.apply(&mut job);
            output.misused |= applied.is_err();
            let found = applied?.into_iter().filter(|warning| !output.warnings.contains(warning)).collect::<Vec<_>>();
            output.warnings.extend(found);
            match (&mut together, &program.split) {
                (Some(together), Some(_)) => together.run(&runner, &variant, &params, job),
                _ => runner.job(job),
            }
        });
        let rank = together.as_ref().filter(|_| program.split.is_some()).map(Together::rank);
        let ran = ran.map_err(|mut problems| {
            let at = |params: &Params| match rank {
                Some(rank) => jobs::share::sketch(lesson, &variant, params, rank),
                None => jobs::sketch(lesson, &variant, params),
            };
            fit_advice::advise(lesson, &params, &device, &at, &mut problems);
            problems
        });
        let (done, mut problems) = match ran {
            Ok(done) => {
                let problems = done.problems();
                (Some(done), problems)
            }
            Err(problems) if !options.which.is_picky() && is_not_here(&problems) => {
                output.warnings.extend(problems.into_iter().map(left_out));
                continue;
            }
            Err(problems) => (None, problems),
        };
        if done.is_none() && program.split.is_some() {
            // All ranks know it, and have stopped.
            is_over = together.take().is_some();
        }
        let skipped = done.is_none() && runner.is_skipped(&variant, &params, &problems);
        output.misused |= is_not_here(&problems);
        if skipped {
            problems = problems.into_iter().map(Diagnostic::as_warning).collect();
        }
        problems = lesson.named(problems);
        if let Some(done) = &done {
            results.insert_record(&program.id, &done.record);
            let fresh = done.record.warnings.iter().filter(|warning| !output.warnings.contains(warning));
            let fresh: Vec<Warning> = fresh.cloned().collect();
            output.warnings.extend(fresh);
        }
        let printed = done.as_ref().map(|done| options.io.printed(done)).unwrap_or_default();
        if program.alone {
            let mut outcome = match &done {
                Some(done) => KernelOutput::of(&program.id, &done.record, None),
                None => KernelOutput::failed(&program.id, &problems, skipped),
            };
            if let Some(done) = &done {
                outcome.roofline = placement(&done.record, &ceilings);
                if let Some(modelled) = &modelled {
                    let foreseen = runner.predict(modelled, &variant, &params, done, &ceilings);
                    outcome.predicted = foreseen.predicted;
                    // Measured kernels get their counts from the trace that the prediction was made from.
                    outcome.trace = outcome.trace.or(foreseen.trace);
                    problems.extend(lesson.named(foreseen.problems));
                }
                let before = lesson.kernel(&program.id).and_then(|kernel| ladder::before(lesson, kernel));
                let before = before.and_then(|before| records.iter().find(|record| record.program == before.id));
                output.ladder.extend(before.and_then(|before| ladder::compare(&done.record, before)));
            }
            outcome.printed = printed;
            on_outcome(Ran::Kernel(&outcome), &problems);
            output.kernels.push(outcome);
        } else {
            let outcome = match &done {
                Some(done) => ProgramOutput { printed, ..ProgramOutput::of(&variant, &done.record) },
                None => ProgramOutput::failed(&variant, &problems, skipped),
            };
            on_outcome(Ran::Program(&outcome), &problems);
            output.programs.push(outcome);
        }
        records.extend(done.map(|done| done.record));
        if is_over {
            break;
        }
    }
    if let Some(together) = together {
        together.leave()?;
    }
    let place = |id: &str| lesson.programs.iter().position(|program| program.id == id);
    output.programs.sort_by_key(|program| place(&program.id));
    results.insert_ceilings(&ceilings);
    let env = Env::new(lesson, &params, &results);
    output.values = lesson.values.iter().map(|v: &Value| (v.id.clone(), env.eval(&v.expr).ok())).collect();
    Ok(output)
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

/// The same as a warning: the kernel itself ran.
fn as_warning(problem: Diagnostic) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, message: format!("no time is predicted: {}", problem.message), ..problem }
}

/// The roofline placement of a kernel under the device's ceilings.
fn placement(record: &Record, ceilings: &Ceilings) -> Option<Placement> {
    let timing = record.timing.as_ref()?;
    roofline::place(record.work.bytes, record.work.flops, timing.median_s, ceilings)
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
