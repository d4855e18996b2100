//! Builds, from a lesson's program and the learner's parameters, a job that any backend can run.

mod buffers;
mod canonical;
mod checks;
pub mod cost;
mod evaluate;
pub mod feasible;
pub mod fingerprint;
mod flow;
mod launch;
pub mod own;
pub mod round;
pub mod selection;
pub mod setting;
pub mod share;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::evaluate::{Evaluator, Place};
pub use self::flow::overwriting;
use self::own::is_edit;
use crate::base::diag::{self, Diagnostic};
use crate::base::units::Work;
use crate::job::{self, BufferSpec, Job, Language, Launch, MeasureSpec, TraceSpec};
use crate::lesson::{Action, Facts, Lesson, Node, PackFiles, Pass, Program, Step, Variant};
use crate::simt;

/// Values of a lesson's parameters, by id.
pub type Params = BTreeMap<String, f64>;

/// Tasks besides running a program: checks, measuring, tracing, guards.
#[derive(Clone, Debug, PartialEq)]
pub struct Purpose {
    /// Seed of the random inputs.
    pub seed: u64,
    pub check: bool,
    /// Time it.
    pub measure: Option<MeasureSpec>,
    pub trace: Option<TraceSpec>,
    /// Guard indices.
    pub bounds_checks: bool,
}

/// Running only.
const RUN: Purpose = Purpose { seed: 0, check: false, measure: None, trace: None, bounds_checks: true };

impl Purpose {
    /// The same, tracing warps of `lanes` lanes.
    #[must_use]
    pub fn with_warps_of(mut self, lanes: u32) -> Self {
        if let Some(trace) = &mut self.trace {
            trace.warp_width = lanes;
        }
        self
    }

    /// The same, tracing kernels in `language`.
    #[must_use]
    pub fn in_language(mut self, language: Language) -> Self {
        if let Some(trace) = &mut self.trace {
            trace.language = language;
        }
        self
    }
}

/// A source that replaces a pass's kernel, such as a learner's. It has no twin.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a> {
    pub pass: &'a str,
    /// The name of its file.
    pub file: &'a str,
    /// WGSL.
    pub source: &'a Arc<str>,
}

/// The lesson's parameters at their defaults.
#[must_use]
pub fn defaults(lesson: &Lesson) -> Params {
    lesson.params.iter().map(|p| (p.id.clone(), p.default)).collect()
}

/// The parameters of a step's page: those that it [`begins`] with, and in their place those that the learner moved
/// there, as far as the lesson still has and allows them.
#[must_use]
pub fn on_page(lesson: &Lesson, step: &Step, moved: Option<&Params>) -> Params {
    let mut params = begins(lesson, step);
    let accepts = |(id, value): &(&String, &f64)| lesson.param(id).is_some_and(|param| param.domain.accepts(**value));
    params.extend(moved.into_iter().flatten().filter(accepts).map(|(id, value)| (id.clone(), *value)));
    params
}

/// The parameters that a step's page begins with, however it was reached: the lesson's, with the step's own in their
/// place. An exercise is shown at the settings at which it is judged.
#[must_use]
pub fn begins(lesson: &Lesson, step: &Step) -> Params {
    let first = step.exercises().next();
    let judged = first.and_then(|id| lesson.exercises.iter().find(|exercise| exercise.id == id));
    let own = step.set.iter().chain(judged.iter().flat_map(|exercise| &exercise.set));
    with(&defaults(lesson), &own.cloned().collect::<Vec<_>>())
}

/// `params` with those of `set` in place of their own.
#[must_use]
pub fn with(params: &Params, set: &[(String, f64)]) -> Params {
    let mut params = params.clone();
    params.extend(set.iter().cloned());
    params
}

/// The job of a program at some parameters.
///
/// # Errors
/// Everything that is wrong with a shader or between shaders and buffers, and every expression that has no usable
/// value.
pub fn build(lesson: &Lesson, variant: &Variant, params: &Params, purpose: &Purpose) -> Result<Job, Vec<Diagnostic>> {
    build_with(lesson, variant, params, purpose, None)
}

/// As [`build`], with another source in the place of a kernel's.
pub fn build_with(
    lesson: &Lesson,
    variant: &Variant,
    params: &Params,
    purpose: &Purpose,
    written: Option<Written<'_>>,
) -> Result<Job, Vec<Diagnostic>> {
    if let Some(unmet) = feasible::unmet(lesson, variant, params) {
        return Err(vec![unmet]);
    }
    let builder = Builder { written, ..Builder::new(lesson, variant, params)? };
    let mut job = builder.outline(purpose)?;
    if let Some(trace) = &mut job.trace {
        // A text that replaces a kernel is in WGSL.
        trace.language = match written {
            Some(_) => Language::Wgsl,
            None => setting::language_of(lesson, variant, trace.language),
        };
    }
    builder.bind(&mut job)?;
    let problems = flow::problems(&builder, &job);
    if problems.is_empty() { Ok(job) } else { Err(problems) }
}

/// The job as far as it is known before its shaders are compiled: without the bindings and workgroups of kernels in
/// WGSL.
pub fn outline(lesson: &Lesson, variant: &Variant, params: &Params, purpose: &Purpose) -> Result<Job, Vec<Diagnostic>> {
    Builder::new(lesson, variant, params)?.outline(purpose)
}

/// The outline of a program that is only run; None if it has no outline.
#[must_use]
pub fn sketch(lesson: &Lesson, variant: &Variant, params: &Params) -> Option<Job> {
    outline(lesson, variant, params, &RUN).ok()
}

/// The buffers of a program; None where its requirements are not met, or a size is none.
#[must_use]
pub fn buffers(lesson: &Lesson, variant: &Variant, params: &Params) -> Option<Vec<BufferSpec>> {
    let builder = Builder::new(lesson, variant, params).ok().filter(|_| lesson.unmet(variant, params).is_none())?;
    builder.program.buffers.iter().map(|buffer| builder.buffer_spec(buffer).ok()).collect()
}

/// The text of a kernel's shader as a pass runs it at some parameters; the kernel's own text if they do not fit it.
#[must_use]
pub fn source(lesson: &Lesson, variant: &Variant, pass: &str, params: &Params) -> Option<Arc<str>> {
    let program = lesson.program(&variant.program)?;
    let place = program.place_of(pass)?;
    let kernel = (*lesson.launched(variant).get(place)?)?;
    let job = sketch(lesson, variant, params);
    let launch = job.as_ref().and_then(|job| job.passes.get(place)?.launch());
    Some(launch.and_then(|launch| launch.wgsl().ok()).map_or_else(|| kernel.source().clone(), |w| w.source.clone()))
}

/// The facts of a pass that decide what the stage can show of it.
#[must_use]
pub fn facts(job: &Job, place: usize) -> Facts {
    let Some(pass) = job.passes.get(place) else { return Facts::default() };
    let matrices = pass.touched().any(|(buffer, _)| job.buffers[buffer].columns.is_some());
    let compiled = pass.launch().and_then(|launch| {
        let wgsl = launch.wgsl().ok()?;
        simt::Program::compile(&wgsl.file, &wgsl.source, &wgsl.entry, &wgsl.overrides).ok()
    });
    Facts {
        buffers: true,
        kernel: pass.launch().is_some(),
        traced: pass.launch().is_some(),
        series: job.series.iter().any(|series| series.each.is_some()),
        matrices,
        meets: compiled.as_ref().is_some_and(simt::Program::meets),
        shared: compiled.is_some_and(|program| program.shared_bytes() > 0),
        flops: pass.work.flops > 0.0,
        explorer: false,
        ring: false,
    }
}

/// A program being made into a job.
struct Builder<'a> {
    lesson: &'a Lesson,
    program: &'a Program,
    variant: &'a Variant,
    params: &'a Params,
    values: Evaluator<'a>,
    written: Option<Written<'a>>,
}

impl<'a> Builder<'a> {
    fn new(lesson: &'a Lesson, variant: &'a Variant, params: &'a Params) -> Result<Self, Vec<Diagnostic>> {
        let program = lesson.program(&variant.program).ok_or_else(|| {
            vec![Diagnostic::error(format!("lesson `{}` has no program `{}`", lesson.id, variant.program))]
        })?;
        Ok(Self { lesson, program, variant, params, values: Evaluator::new(lesson, params), written: None })
    }

    /// The index of a buffer. Names of buffers were checked when the lesson was read.
    fn buffer(&self, name: &str) -> Option<usize> {
        self.program.buffers.iter().position(|buffer| buffer.name == name)
    }

    /// As [`Builder::buffer`], with an error at `at` if there is none.
    fn named(&self, name: &str, at: Place<'_>) -> Result<usize, Vec<Diagnostic>> {
        self.buffer(name).ok_or_else(|| {
            let known: Vec<&str> = self.program.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
            let problem = at.error(format!("`{}` has no buffer `{name}`", self.program.id));
            vec![problem.hint(format!("its buffers are: {}", known.join(", ")))]
        })
    }

    /// Whether the learner wrote one of the kernels.
    fn edited(&self) -> bool {
        self.written.is_some() || self.lesson.launched(self.variant).into_iter().flatten().any(is_edit)
    }

    fn outline(&self, purpose: &Purpose) -> Result<Job, Vec<Diagnostic>> {
        let program = self.program;
        let buffers = program.buffers.iter().map(|buffer| self.buffer_spec(buffer)).collect::<Result<Vec<_>, _>>()?;
        let mut passes = Vec::new();
        let body = self.body(&program.body, &mut passes)?;
        let checks = if purpose.check { self.checks()? } else { Vec::new() };
        let work = program.work.as_ref().map(|work| self.values.work(work, Place::of(program)));
        let only = passes.iter().find_map(job::Pass::launch).filter(|_| program.alone);
        let whole = self.written.map(|written| diag::Place::start(written.file));
        Ok(Job {
            program: program.id.clone(),
            place: only.map(Launch::place).or(whole).unwrap_or_else(|| program.place.clone()),
            seed: purpose.seed,
            buffers,
            body,
            passes,
            checks: checks.into_iter().map(|check| self.check(check)).collect::<Result<_, _>>()?,
            series: program.series.iter().map(|series| self.series(series)).collect::<Result<_, _>>()?,
            looks: Vec::new(),
            film: Vec::new(),
            measure: purpose.measure.map(|spec| MeasureSpec { cold: spec.cold && !program.warm, ..spec }),
            trace: purpose.trace.clone(),
            bounds_checks: purpose.bounds_checks,
            // The built-in pack's loops are known to terminate.
            bounded_loops: self.lesson.files != PackFiles::Embedded || self.edited(),
            work: work.transpose()?,
        })
    }

    fn body(&self, body: &[Node], passes: &mut Vec<job::Pass>) -> Result<Vec<job::Node>, Vec<Diagnostic>> {
        let mut nodes = Vec::new();
        for node in body {
            nodes.push(match node {
                Node::Pass(pass) => {
                    passes.push(self.pass(pass)?);
                    job::Node::Pass(passes.len() - 1)
                }
                Node::Repeat(repeat) => {
                    let at = Place { owner: &repeat.id, place: &repeat.place };
                    let times = self.values.at_least(0, &repeat.times, at, "the number of rounds")?;
                    let until = repeat.until.as_ref().map(|until| self.until(until, &repeat.id)).transpose()?;
                    let body = self.body(&repeat.body, passes)?;
                    job::Node::Repeat(job::Repeat { id: repeat.id.clone(), times, until, body })
                }
            });
        }
        Ok(nodes)
    }

    fn pass(&self, pass: &Pass) -> Result<job::Pass, Vec<Diagnostic>> {
        let at = Place { owner: &pass.id, place: &pass.place };
        #[expect(clippy::cast_precision_loss, reason = "bytes stay below 2^53")]
        let moved = |bytes: u64| Work { bytes: bytes as f64, flops: 0.0 };
        let bytes = |buffer: usize| Ok::<_, Vec<Diagnostic>>(self.buffer_spec(&self.program.buffers[buffer])?.bytes());
        let (action, work) = match &pass.action {
            Action::Launch(declared) => {
                let kernel = self.kernel_of(pass, declared)?;
                let (launch, work) = self.launch(kernel, declared, at)?;
                (job::Action::Launch(Box::new(launch)), work)
            }
            Action::Copy(from, to) => {
                let (from, to) = (self.named(from, at)?, self.named(to, at)?);
                let [source, target] = [from, to].map(|i| self.buffer_spec(&self.program.buffers[i]));
                let (source, target) = (source?, target?);
                if (source.elem, source.count) != (target.elem, target.count) || from == to {
                    let what = |spec: &BufferSpec| format!("`{}` has {} {:?}", spec.name, spec.count, spec.elem);
                    let message = format!(
                        "a copy is between two buffers of the same type and size, and {}, {}",
                        what(&source),
                        what(&target)
                    );
                    return Err(vec![at.error(message).hint("give both the same `elem` and `count`")]);
                }
                (job::Action::Copy { from, to }, moved(2 * bytes(from)?))
            }
            Action::Fill(buffer, value) => {
                let buffer = self.named(buffer, at)?;
                let value = self.values.number(value, at, "the value")?;
                self.fits(&self.program.buffers[buffer], value, at)?;
                (job::Action::Fill { buffer, value }, moved(bytes(buffer)?))
            }
        };
        Ok(job::Pass { id: pass.id.clone(), action, work })
    }

    /// Compiles the launches' shaders, and binds their variables.
    fn bind(&self, job: &mut Job) -> Result<(), Vec<Diagnostic>> {
        let passes = self.program.passes();
        for (pass, declared) in job.passes.iter_mut().zip(passes) {
            if let (job::Action::Launch(launch), Action::Launch(of)) = (&mut pass.action, &declared.action) {
                let at = Place { owner: &declared.id, place: &declared.place };
                self.compile(launch, self.kernel_of(declared, of)?, of, &job.buffers, at)?;
            }
        }
        for (check, declared) in job.checks.iter_mut().zip(self.checks()?) {
            self.bind_check(check, declared, &job.buffers)?;
        }
        Ok(())
    }
}
