//! A run of a lesson: its kernels and programs one after the other.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use super::devices::Devices;
use super::model::{self, Chosen};
use super::output::{KernelOutput, Printed, ProgramOutput, RunOutput};
use super::ranks_run::Together;
use super::{Done, RunOptions, Runner, fit_advice, is_not_here, ladder, left_out, lesson, lost_device, params, whole};
use crate::base::diag::Diagnostic;
use crate::lesson::scope::{Env, Results};
use crate::lesson::{Pack, Program, Value, Variant};
use crate::measure::roofline::{self, Placement};
use crate::session::jobs::{self, Params, Purpose};
use crate::trace::record::{Backend, Ceilings, Device, Record, Warning};

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

/// Called with each outcome and its problems.
type OnOutcome<'a> = dyn FnMut(Ran<'_>, &[Diagnostic]) + 'a;

/// Runs kernels and programs one after the other; `on_outcome` sees each outcome as it comes. If this process is one of
/// several ranks, it first runs the programs that are made for those `together` with the others; and rank 0 alone the
/// rest.
///
/// # Errors
/// When the lesson, a kernel, a program, a parameter, a file or the backend does not exist, or a rank is lost. Other
/// failures are part of the output.
pub fn run(
    devices: &Devices,
    pack: &Pack,
    lesson_id: &str,
    options: &RunOptions,
    together: Option<Together>,
    cancel: &AtomicBool,
    on_outcome: &mut OnOutcome<'_>,
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
    let purpose = purpose(device.backend, options, modelled.as_ref());
    let output = RunOutput {
        lesson: lesson.id.clone(),
        backend: device.backend,
        device: device.name.clone(),
        seed: options.seed,
        warp_width: super::traced_width(&purpose),
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
    let mut run = LessonRun {
        runner: Runner { devices, backend: device.backend, lesson, purpose: &purpose, cancel },
        options,
        device: &device,
        params,
        modelled,
        ceilings: ceilings.unwrap_or_default(),
        together,
        results: Results::default(),
        records: Vec::new(),
        output,
    };
    for (program, variant) in &chosen {
        if !run.next(program, variant, on_outcome)? {
            break;
        }
    }
    run.finish()
}

/// The purpose of a run with these options, with the counts of caches that a predicted time needs.
fn purpose(backend: Backend, options: &RunOptions, modelled: Option<&Chosen<'_>>) -> Purpose {
    let purpose = super::purpose(backend, options.seed, options.bounds_checks).with_warps_of(options.warp_width);
    let mut purpose = purpose.in_language(options.language);
    if let Some(spec) = &mut purpose.trace {
        // The tracer's own order may hide a race: the result is right, or unchecked.
        spec.races = true;
        spec.caches = modelled.and_then(|chosen| model::caches(chosen.spec, false));
    }
    purpose
}

/// A run under way.
struct LessonRun<'a> {
    runner: Runner<'a>,
    options: &'a RunOptions,
    device: &'a Device,
    params: Params,
    /// The device to predict times for.
    modelled: Option<Chosen<'a>>,
    ceilings: Ceilings,
    /// None for a process alone, and once it has left the other ranks.
    together: Option<Together>,
    results: Results,
    records: Vec<Record>,
    output: RunOutput,
}

impl LessonRun<'_> {
    /// Runs the next program; false if this process is to run no more of them.
    fn next(
        &mut self,
        program: &Program,
        variant: &Variant,
        on_outcome: &mut OnOutcome<'_>,
    ) -> Result<bool, Diagnostic> {
        if program.split.is_none()
            && let Some(together) = self.together.take()
            && !together.leave()?
        {
            return Ok(false);
        }
        let is_named = self.options.which.names_any();
        let elsewhere = self.runner.lesson.elsewhere(variant, self.runner.backend);
        if let Some(kernel) = elsewhere.first().filter(|_| !is_named) {
            self.output.warnings.push(left_out(kernel.not_here()));
            return Ok(true);
        }
        let ran = match self.attempt(program, variant) {
            Err(problems) if !is_named && is_not_here(&problems) => {
                self.output.warnings.extend(problems.into_iter().map(left_out));
                return Ok(true);
            }
            ran => ran,
        };
        // All ranks know of a failure, and have stopped.
        let is_over = ran.is_err() && program.split.is_some() && self.together.take().is_some();
        self.report(program, variant, ran, on_outcome);
        Ok(!is_over)
    }

    /// Runs a program with the contents of its buffers from files, on this rank or alone.
    fn attempt(&mut self, program: &Program, variant: &Variant) -> Result<Done, Vec<Diagnostic>> {
        let (runner, params) = (self.runner, &self.params);
        let mut together = self.together.as_mut().filter(|_| program.split.is_some());
        let rank = together.as_ref().map(|together| together.rank());
        let ran = jobs::build(runner.lesson, variant, params, runner.purpose).and_then(|mut job| {
            let applied = self.options.io.apply(&mut job);
            self.output.misused |= applied.is_err();
            warn(&mut self.output, applied?);
            match &mut together {
                Some(together) => together.run(&runner, variant, params, job),
                None => runner.job(job),
            }
        });
        ran.map_err(|mut problems| {
            let at = |params: &Params| match rank {
                Some(rank) => jobs::share::buffers(runner.lesson, variant, params, rank),
                None => jobs::buffers(runner.lesson, variant, params),
            };
            fit_advice::advise(runner.lesson, params, self.device, &at, &mut problems);
            problems
        })
    }

    /// Adds a program's outcome to the output.
    fn report(
        &mut self,
        program: &Program,
        variant: &Variant,
        ran: Result<Done, Vec<Diagnostic>>,
        on_outcome: &mut OnOutcome<'_>,
    ) {
        let (done, mut problems) = match ran {
            Ok(done) => {
                let problems = done.problems();
                (Some(done), problems)
            }
            Err(problems) => (None, problems),
        };
        let skipped = done.is_none() && self.runner.is_skipped(variant, &self.params, &problems);
        self.output.misused |= is_not_here(&problems);
        if skipped {
            problems = problems.into_iter().map(Diagnostic::as_warning).collect();
        }
        problems = self.runner.lesson.named(problems);
        if let Some(done) = &done {
            self.results.insert_record(&program.id, &done.record);
            if let Some(modelled) = self.modelled.as_ref().filter(|_| done.record.backend == Backend::Simt) {
                whole::insert(&mut self.results, &program.id, (&done.job, &done.record), modelled);
            }
            warn(&mut self.output, done.record.warnings.clone());
        }
        let printed = done.as_ref().map(|done| self.options.io.printed(done)).unwrap_or_default();
        if program.alone {
            let outcome = match &done {
                Some(done) => self.kernel(variant, done, printed, &mut problems),
                None => KernelOutput::failed(&program.id, &problems, skipped),
            };
            on_outcome(Ran::Kernel(&outcome), &problems);
            self.output.kernels.push(outcome);
        } else {
            let outcome = match &done {
                Some(done) => {
                    // Of a program only the last pass is sampled: a large one is traced if that was asked for.
                    let is_predicted = !jobs::cost::is_large(&done.job) || self.options.device.is_some();
                    let modelled = self.modelled.as_ref().filter(|_| is_predicted);
                    let predict = |chosen| self.runner.predict_program(chosen, variant, &self.params, done);
                    let predicted = modelled.and_then(predict);
                    ProgramOutput { printed, predicted, ..ProgramOutput::of(variant, &done.record) }
                }
                None => ProgramOutput::failed(variant, &problems, skipped),
            };
            on_outcome(Ran::Program(&outcome), &problems);
            self.output.programs.push(outcome);
        }
        self.records.extend(done.map(|done| done.record));
    }

    /// A kernel that ran by itself: beside the device's ceilings, its predicted time, and the rung before it.
    fn kernel(
        &mut self,
        variant: &Variant,
        done: &Done,
        printed: Vec<Printed>,
        problems: &mut Vec<Diagnostic>,
    ) -> KernelOutput {
        let (lesson, id) = (self.runner.lesson, &variant.program);
        let mut outcome = KernelOutput { printed, ..KernelOutput::of(id, &done.record, None) };
        outcome.roofline = placement(&done.record, &self.ceilings);
        if let Some(modelled) = &self.modelled {
            let prediction = self.runner.predict(modelled, variant, &self.params, done, &self.ceilings);
            outcome.predicted = prediction.predicted;
            // Measured kernels get their counts from the trace that the prediction was made from.
            outcome.trace = outcome.trace.or(prediction.trace);
            problems.extend(lesson.named(prediction.problems));
        }
        let before = lesson.kernel(id).and_then(|kernel| ladder::before(lesson, kernel));
        let before = before.and_then(|before| self.records.iter().find(|record| record.program == before.id));
        self.output.ladder.extend(before.and_then(|before| ladder::compare(&done.record, before)));
        outcome
    }

    /// Leaves the other ranks, and works out the lesson's values.
    fn finish(self) -> Result<RunOutput, Diagnostic> {
        let Self { runner: Runner { lesson, .. }, params, ceilings, together, mut results, mut output, .. } = self;
        if let Some(together) = together {
            together.leave()?;
        }
        output.programs.sort_by_key(|program| lesson.programs.iter().position(|known| known.id == program.id));
        results.insert_ceilings(&ceilings);
        let env = Env::new(lesson, &params, &results);
        output.values = lesson.values.iter().map(|v: &Value| (v.id.clone(), env.eval(&v.expr).ok())).collect();
        Ok(output)
    }
}

/// Adds the warnings that the output does not have yet.
fn warn(output: &mut RunOutput, found: Vec<Warning>) {
    let fresh: Vec<Warning> = found.into_iter().filter(|warning| !output.warnings.contains(warning)).collect();
    output.warnings.extend(fresh);
}

/// The roofline placement of a kernel under the device's ceilings.
fn placement(record: &Record, ceilings: &Ceilings) -> Option<Placement> {
    let timing = record.timing.as_ref()?;
    roofline::place(record.work.bytes, record.work.flops, timing.median_s, ceilings)
}
