//! The tracer's answers: each question becomes a job, and the job's record the answer.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::At;
use super::film;
use super::question::{Accesses, Answer, Built, Coursed, Outcome, Question, Traced};
use crate::base::diag::Diagnostic;
use crate::figures::{Metered, MeteredPass};
use crate::gpu::simt;
use crate::job::{Job, Language, Shown, TraceSpec};
use crate::lesson::{PackFiles, Program};
use crate::session::jobs::own::is_edit;
use crate::session::jobs::setting::Setting;
use crate::session::jobs::{self, Purpose};
use crate::session::run::check_failure::failed_check;
use crate::session::run::explain::explain;
use crate::session::run::in_cuda::in_cuda;
use crate::session::run::{self, Done, model};
use crate::trace::record::Backend;

/// Compiles a job's kernels in CUDA C++ to PTX, one for each launch.
pub type Compiler<'a> = &'a dyn Fn(&Job) -> Result<Vec<String>, Diagnostic>;

/// Has no compiler for CUDA C++: only kernels whose PTX is in their pack are traced from it.
///
/// # Errors
/// Always.
pub fn no_compiler(job: &Job) -> Result<Vec<String>, Diagnostic> {
    let message = format!("the pack has no PTX of `{}` at these settings", job.program);
    Err(Diagnostic::error(message).in_place(&job.place).hint("trace its WGSL"))
}

/// Answers a question with the tracer; the same run may answer others, too. Empty for a question to a device.
#[must_use]
pub fn trace(question: &Question, compiler: Compiler<'_>, cancel: &AtomicBool) -> Vec<(Question, Outcome)> {
    let only = |answer: Result<Answer, Vec<Diagnostic>>| vec![(question.clone(), answer.map_err(Arc::from))];
    match question {
        Question::Build(at) => only(build(at).map(|built| Answer::Built(Arc::new(built)))),
        Question::Counts(at) => {
            only(counts(at, None, compiler, cancel).map(|(traced, _)| Answer::Traced(Arc::new(traced))))
        }
        Question::Heat(at, shown) => heat(at, *shown, compiler, cancel),
        Question::Accesses(at, shown, workgroup) => only(
            accesses(at, *shown, *workgroup, compiler, cancel).map(|accesses| Answer::Accesses(Arc::new(accesses))),
        ),
        Question::Course(at, shown, variables) => {
            let followed = course(at, *shown, variables, compiler, cancel);
            only(followed.map(|followed| Answer::Course(Arc::new(followed))))
        }
        Question::Film(at, buffers) => {
            let program = at.setting().lesson.program(&at.variant().program);
            let job = job(at, &Purpose { check: false, ..purpose(at) });
            let reel = job.and_then(|job| film::read(job, program, buffers, |job| run(job, compiler, cancel)));
            only(reel.map(|reel| Answer::Reel(Arc::new(reel))))
        }
        Question::Origin(at, buffer, index) => {
            let origin = job(at, &purpose(at))
                .and_then(|job| in_language(job, compiler))
                .and_then(|job| explain(&job, buffer, *index, cancel));
            only(origin.map(|origin| Answer::Origin(Arc::new(origin))))
        }
        Question::Time(_) | Question::Ceilings(_) => Vec::new(),
    }
}

fn purpose(at: &At) -> Purpose {
    let Setting { seed, warp_width, .. } = **at.setting();
    run::purpose(Backend::Simt, seed, true).with_warps_of(warp_width).in_language(at.language())
}

fn job(at: &At, purpose: &Purpose) -> Result<Job, Vec<Diagnostic>> {
    jobs::build(&at.setting().lesson, at.variant(), &at.setting().params, purpose)
}

/// The job with its kernels in the language that it is to be traced in.
fn in_language(job: Job, compiler: Compiler<'_>) -> Result<Job, Vec<Diagnostic>> {
    match job.trace.as_ref().map(|spec| spec.language) {
        Some(Language::Cuda) => in_cuda(&job, &mut |job| compiler(job)).map_err(|problem| vec![problem]),
        _ => Ok(job),
    }
}

fn run(job: Job, compiler: Compiler<'_>, cancel: &AtomicBool) -> Result<Done, Vec<Diagnostic>> {
    let job = in_language(job, compiler)?;
    match simt::run(&job, cancel, &mut |_| {}) {
        Ok(record) => Ok(Done { job, record }),
        Err(problem) => Err(vec![problem]),
    }
}

fn build(at: &At) -> Result<Built, Vec<Diagnostic>> {
    let job = job(at, &purpose(at))?;
    let facts = (0..job.passes.len()).map(|place| jobs::facts(&job, place)).collect();
    Ok(Built { job: Arc::new(job), facts })
}

/// A program's counts, and how often elements are fetched by a launch, if that is requested.
fn counts(
    at: &At,
    heat: Option<Shown>,
    compiler: Compiler<'_>,
    cancel: &AtomicBool,
) -> Result<(Traced, Option<Answer>), Vec<Diagnostic>> {
    let spec = TraceSpec { heat: heat.is_some(), shown: heat.unwrap_or_default(), races: is_own(at), ..spec(at) };
    let Done { mut record, job } = run(job(at, &Purpose { trace: Some(spec), ..purpose(at) })?, compiler, cancel)?;
    let wrong = failed_check(&job, &record);
    // A learner's kernel is shown as it is, right or wrong.
    let is_own = at.setting().lesson.launched(at.variant()).into_iter().flatten().any(is_edit);
    if let Some(problem) = wrong.as_ref().filter(|_| !is_own) {
        return Err(vec![problem.clone()]);
    }
    let fetched = heat.and_then(|shown| record.passes.get_mut(shown.pass)?.heat.take());
    let launches = (0..job.passes.len()).map(|place| model::launched(&job, &record, place)).collect();
    let traced = Traced { job: Arc::new(job), record: Arc::new(record), launches, wrong };
    Ok((traced, fetched.map(|heat| Answer::Heat(Arc::new(heat)))))
}

fn heat(at: &At, shown: Shown, compiler: Compiler<'_>, cancel: &AtomicBool) -> Vec<(Question, Outcome)> {
    let asked = [Question::Heat(at.clone(), shown), Question::Counts(at.clone())];
    let answers: [Outcome; 2] = match counts(at, Some(shown), compiler, cancel) {
        Ok((traced, heat)) => {
            let none = || Arc::from([Diagnostic::error("the launch fetches no matrix")]);
            [heat.ok_or_else(none), Ok(Answer::Traced(Arc::new(traced)))]
        }
        Err(problems) => {
            let problems: Arc<[Diagnostic]> = problems.into();
            [Err(problems.clone()), Err(problems)]
        }
    };
    asked.into_iter().zip(answers).collect()
}

fn accesses(
    at: &At,
    shown: Shown,
    workgroup: u32,
    compiler: Compiler<'_>,
    cancel: &AtomicBool,
) -> Result<Accesses, Vec<Diagnostic>> {
    let spec = TraceSpec {
        timeline_workgroups: vec![workgroup],
        only_timeline_workgroups: true,
        shown,
        // Checking races is quick for one workgroup, and mostly the same in all.
        races: true,
        ..spec(at)
    };
    // A part of the grid gives no complete result to check.
    let purpose = Purpose { check: false, trace: Some(spec), ..purpose(at) };
    let done = run(job(at, &purpose)?, compiler, cancel)?;
    let pass = done.record.passes.into_iter().nth(shown.pass);
    let (timeline, trace) = pass.map(|pass| (pass.timeline, pass.trace)).unwrap_or_default();
    Ok(Accesses {
        timeline: Arc::new(timeline.unwrap_or_default()),
        findings: trace.map(|trace| trace.findings).unwrap_or_default(),
    })
}

/// The intervals of a launch's workgroups, and the bytes that each pass of the program moves. The launch is followed whether its result is right or not.
fn course(
    at: &At,
    shown: Shown,
    variables: &[String],
    compiler: Compiler<'_>,
    cancel: &AtomicBool,
) -> Result<Coursed, Vec<Diagnostic>> {
    let spec = TraceSpec { course: Some(variables.to_vec()), shown, ..spec(at) };
    let Done { record, .. } =
        run(job(at, &Purpose { check: false, trace: Some(spec), ..purpose(at) })?, compiler, cancel)?;
    let program = at.setting().lesson.program(&at.variant().program);
    let titles = program.map(Program::passes).unwrap_or_default();
    let (mut course, mut passes) = (None, Vec::new());
    for (place, pass) in record.passes.into_iter().enumerate() {
        course = course.or(pass.course);
        let title = titles.get(place).map_or(&pass.id, |pass| &pass.title).clone();
        passes.push(MeteredPass { title, launches: pass.launches, moved: pass.moved });
    }
    let title = program.map_or_else(String::new, |program| program.title.clone());
    Ok(Coursed { course: Arc::new(course.unwrap_or_default()), metered: Metered { title, passes } })
}

fn spec(at: &At) -> TraceSpec {
    TraceSpec { warp_width: at.setting().warp_width, language: at.language(), ..TraceSpec::default() }
}

/// Whether the learner wrote a kernel of the program. A pack's own kernels are checked when it is made.
fn is_own(at: &At) -> bool {
    let lesson = &at.setting().lesson;
    matches!(lesson.files, PackFiles::Folder(_)) || lesson.launched(at.variant()).into_iter().flatten().any(is_edit)
}
