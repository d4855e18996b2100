//! A run of the tracer that several answers are read from.

use std::sync::atomic::AtomicBool;

use super::At;
use super::query::Of;
use crate::base::diag::Diagnostic;
use crate::figures::ask::Question;
use crate::gpu::simt;
use crate::job::{Job, Language, TraceSpec};
use crate::lesson::{PackFiles, Program};
use crate::session::jobs::own::is_edit;
use crate::session::jobs::setting::Setting;
use crate::session::jobs::{self, Purpose};
use crate::session::run::check_failure::failed_check;
use crate::session::run::in_cuda::in_cuda;
use crate::session::run::{self, Done};
use crate::trace::record::Backend;

/// A question that a run of the tracer answers.
pub(super) trait Watched: Question {
    /// Has the run record what the answer is read from.
    fn watch(&self, of: &Of, plan: &mut Plan);

    /// Reads the answer from what the run has recorded.
    ///
    /// # Errors
    /// Why there is none.
    fn read(&self, of: &Of, ran: &mut Ran<'_>) -> Result<Self::Answer, Vec<Diagnostic>>;
}

/// The recordings that the answers of one run are read from.
pub(super) struct Plan {
    /// The tracer's options.
    pub spec: TraceSpec,
    /// The buffers whose contents are kept after each launch.
    pub film: Vec<String>,
    /// Whether results are checked.
    pub check: bool,
    /// Whether the learner has typed a kernel of the program.
    pub is_typed: bool,
    /// Whether a kernel may be of the learner's making. Those of the built-in pack were checked when it was made.
    pub is_own: bool,
    /// Whether another question needs the whole grid.
    pub is_whole: bool,
}

impl Plan {
    /// A plan that records nothing yet.
    pub fn new(at: &At, is_whole: bool) -> Self {
        let spec = TraceSpec {
            warp_width: at.setting().warp_width,
            language: at.language(),
            counts: false,
            ..TraceSpec::default()
        };
        let lesson = &at.setting().lesson;
        let is_typed = lesson.launched(at.variant()).into_iter().flatten().any(is_edit);
        let is_own = is_typed || matches!(lesson.files, PackFiles::Folder(_));
        Self { spec, film: Vec::new(), check: false, is_typed, is_own, is_whole }
    }
}

/// A run, and what is left of its record.
pub(super) struct Ran<'a> {
    /// The program.
    pub at: &'a At,
    /// The job and its record, from which answers take their parts.
    pub done: Done,
    /// The check that failed.
    pub wrong: Option<Diagnostic>,
    /// As in [`Plan`].
    pub is_typed: bool,
}

impl Ran<'_> {
    /// The program as its lesson declares it.
    pub fn program(&self) -> Option<&Program> {
        self.at.setting().lesson.program(&self.at.variant().program)
    }

    /// Nothing if the result is right, or that of a typed kernel: it is shown as it is.
    ///
    /// # Errors
    /// The check that failed.
    pub fn is_right(&self) -> Result<(), Vec<Diagnostic>> {
        match &self.wrong {
            Some(problem) if !self.is_typed => Err(vec![problem.clone()]),
            _ => Ok(()),
        }
    }
}

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

/// How the tracer runs a program of which nothing else is asked.
pub(super) fn purpose(at: &At) -> Purpose {
    let Setting { seed, warp_width, .. } = **at.setting();
    run::purpose(Backend::Simt, seed, true).with_warps_of(warp_width).in_language(at.language())
}

/// A program's job.
///
/// # Errors
/// If it does not compile at its settings.
pub(super) fn job(at: &At, purpose: &Purpose) -> Result<Job, Vec<Diagnostic>> {
    jobs::build(&at.setting().lesson, at.variant(), &at.setting().params, purpose)
}

/// The job with its kernels in the language that it is to be traced in.
///
/// # Errors
/// If they do not compile.
pub(super) fn in_language(job: Job, compiler: Compiler<'_>) -> Result<Job, Vec<Diagnostic>> {
    match job.trace.as_ref().map(|spec| spec.language) {
        Some(Language::Cuda) => in_cuda(&job, &mut |job| compiler(job)).map_err(|problem| vec![problem]),
        _ => Ok(job),
    }
}

/// Traces a job.
///
/// # Errors
/// If it does not compile or run.
pub(super) fn run<'a>(
    at: &'a At,
    job: Job,
    is_typed: bool,
    compiler: Compiler<'_>,
    cancel: &AtomicBool,
) -> Result<Ran<'a>, Vec<Diagnostic>> {
    let job = in_language(job, compiler)?;
    let record = simt::run(&job, cancel, &mut |_| {}).map_err(|problem| vec![problem])?;
    let wrong = failed_check(&job, &record);
    Ok(Ran { at, done: Done { job, record }, wrong, is_typed })
}
