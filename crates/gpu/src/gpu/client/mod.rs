//! The client of a worker process: starts it, waits with a deadline, and replaces a worker that hung or died.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use self::process::{Incoming, Worker};
use super::backend::{Event, Failure, Part};
use super::protocol::{self, FrameError, Reply, Request};
use super::toolkit;
use crate::base::diag::Diagnostic;
use crate::job::{Job, Launch};
use crate::trace::record::{Ceilings, Device, Record};

mod process;

/// How to start a worker.
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Environment variables set for it besides the inherited ones.
    pub env: Vec<(OsString, OsString)>,
    /// The longest silence before a worker counts as hung. Every event starts it anew.
    pub deadline: Duration,
}

impl WorkerCommand {
    /// This very program, with its `worker` subcommand. Where the system cannot say which file that is, as it was
    /// called.
    #[must_use]
    pub fn this_program() -> Self {
        let called = || std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
        let program = std::env::current_exe().unwrap_or_else(|_| called());
        // The last output of a worker is shown to people: the panic, not the trace after it.
        let env = vec![("RUST_BACKTRACE".into(), "0".into())];
        Self { program, args: vec!["worker".into()], env, deadline: Duration::from_secs(30) }
    }
}

impl WorkerCommand {
    /// The same, for CUDA's device. A toolkit that lies where the system's loader does not look is found all the same.
    #[must_use]
    pub fn for_cuda(mut self) -> Self {
        self.args.push("--cuda".into());
        self.env.extend(toolkit::library_path());
        self
    }

    fn runs_twins(&self) -> bool {
        self.args.iter().any(|arg| arg == "--cuda")
    }
}

/// A worker that was asked to stop gets this long to do so by itself.
const GRACE: Duration = Duration::from_millis(500);

/// How often a wait looks at the cancel flag.
const TICK: Duration = Duration::from_millis(20);

/// The cancel flag of requests that are answered at once, and of callers that nobody can stop.
pub static NEVER: AtomicBool = AtomicBool::new(false);

/// One worker process at a time, started at the first request and again after it was lost.
#[derive(Debug)]
pub struct Client {
    command: WorkerCommand,
    worker: Option<Worker>,
}

/// The subject of a request, for its diagnostics.
struct Subject<'a> {
    what: String,
    job: Option<&'a Job>,
    /// Whether the kernels' twins are what runs.
    twin: bool,
}

impl Subject<'_> {
    /// The file that the kernel is in; of several, the one that names the program.
    fn file(&self) -> Option<&str> {
        let job = self.job?;
        let launch = job.launches().next().filter(|_| job.is_single());
        let twin = launch.filter(|_| self.twin).and_then(Launch::twin);
        Some(twin.map_or(&job.place.file, |twin| &twin.file))
    }
}

impl Client {
    /// A client that starts nothing yet.
    #[must_use]
    pub fn new(command: WorkerCommand) -> Self {
        Self { command, worker: None }
    }

    /// The process id of the worker, where one runs.
    #[must_use]
    pub fn worker_id(&self) -> Option<u32> {
        self.worker.as_ref().map(Worker::id)
    }

    /// The worker's device.
    ///
    /// # Errors
    /// When there is no driver or device, or the worker fails.
    pub fn device(&mut self) -> Result<Device, Diagnostic> {
        let subject = Subject { what: "describing the device".into(), job: None, twin: false };
        match self.ask(&Request::Describe, &subject, &NEVER, &mut |_| ())? {
            Reply::Device(device) => Ok(device),
            _ => Err(self.confused(&subject)),
        }
    }

    /// Measures what the device can do at best; takes about a second.
    ///
    /// # Errors
    /// When there is no device, or it or the worker fails.
    pub fn ceilings(&mut self, cancel: &AtomicBool) -> Result<Ceilings, Diagnostic> {
        let subject = Subject { what: "measuring the device's ceilings".into(), job: None, twin: false };
        match self.ask(&Request::Ceilings, &subject, cancel, &mut |_| ())? {
            Reply::Ceilings(ceilings) => Ok(ceilings),
            _ => Err(self.confused(&subject)),
        }
    }

    /// The software that the backend is made of.
    ///
    /// # Errors
    /// When the worker fails, or this build has no such backend.
    pub fn parts(&mut self) -> Result<Vec<Part>, Diagnostic> {
        let subject = Subject { what: "looking for the backend's software".into(), job: None, twin: false };
        match self.ask(&Request::Parts, &subject, &NEVER, &mut |_| ())? {
            Reply::Parts(parts) => Ok(parts),
            _ => Err(self.confused(&subject)),
        }
    }

    /// Compiles a job's kernels and no more; the compiler's warnings.
    ///
    /// # Errors
    /// The problem with a kernel, or that there is no compiler, or how the worker was lost.
    pub fn compile(&mut self, job: &Job, cancel: &AtomicBool) -> Result<Vec<Diagnostic>, Diagnostic> {
        let subject = Subject { what: format!("compiling `{}`", job.program), job: Some(job), twin: true };
        match self.ask(&Request::Compile(Box::new(job.clone())), &subject, cancel, &mut |_| ())? {
            Reply::Compiled(warnings) => Ok(warnings),
            _ => Err(self.confused(&subject)),
        }
    }

    /// Compiles a job's kernels in CUDA C++ to PTX, one for each launch.
    ///
    /// # Errors
    /// The problem with a kernel, or that there is no compiler, or how the worker was lost.
    pub fn assemble(&mut self, job: &Job, cancel: &AtomicBool) -> Result<Vec<String>, Diagnostic> {
        let subject = Subject { what: format!("compiling `{}`", job.program), job: Some(job), twin: true };
        match self.ask(&Request::Assemble(Box::new(job.clone())), &subject, cancel, &mut |_| ())? {
            Reply::Assembled(ptx) => Ok(ptx),
            _ => Err(self.confused(&subject)),
        }
    }

    /// Runs a job; `on_event` hears how far it got. Setting `cancel` ends it within about half a second.
    ///
    /// # Errors
    /// The problem with the kernel; that it does not fit the device; or how the worker was lost and what to try. The
    /// next request starts a fresh worker if the old one was lost.
    pub fn run(
        &mut self,
        job: &Job,
        cancel: &AtomicBool,
        on_event: &mut dyn FnMut(Event),
    ) -> Result<Record, Diagnostic> {
        let what = format!("{} `{}`", if job.is_single() { "kernel" } else { "program" }, job.program);
        let subject = Subject { what, job: Some(job), twin: self.command.runs_twins() };
        match self.ask(&Request::Run(Box::new(job.clone())), &subject, cancel, on_event)? {
            Reply::Record(record) => Ok(*record),
            _ => Err(self.confused(&subject)),
        }
    }

    fn ask(
        &mut self,
        request: &Request,
        subject: &Subject<'_>,
        cancel: &AtomicBool,
        on_event: &mut dyn FnMut(Event),
    ) -> Result<Reply, Diagnostic> {
        let frame = process::frame(request).map_err(|error| {
            Diagnostic::error(format!("{}: the request cannot be sent: {error}", subject.what))
                .hint("shorten the kernel's source")
        })?;
        // A worker that died while nothing was asked of it is replaced without a word.
        let mut worker = match self.worker.take().and_then(|mut worker| worker.is_alive().then_some(worker)) {
            Some(worker) => worker,
            None => Worker::start(&self.command)?,
        };
        worker.send(frame);
        let exchange = Exchange { subject, cancel, deadline: self.command.deadline };
        match exchange.finish(&mut worker, on_event) {
            Ok(Reply::Failed(Failure { diagnostic, fatal })) => {
                if !fatal {
                    self.worker = Some(worker);
                }
                Err(diagnostic)
            }
            Ok(reply) => {
                self.worker = Some(worker);
                Ok(reply)
            }
            Err(diagnostic) => Err(diagnostic),
        }
    }

    /// An answer to another question: nothing that this worker says can be trusted any more.
    fn confused(&mut self, subject: &Subject<'_>) -> Diagnostic {
        self.worker = None;
        nonsense(subject, "it answered another question")
    }
}

/// One request being waited for.
struct Exchange<'a> {
    subject: &'a Subject<'a>,
    cancel: &'a AtomicBool,
    deadline: Duration,
}

impl Exchange<'_> {
    /// Waits for the answer. On an error the worker is dead.
    fn finish(&self, worker: &mut Worker, on_event: &mut dyn FnMut(Event)) -> Result<Reply, Diagnostic> {
        let mut silent_until = Instant::now() + self.deadline;
        let mut cancelled = false;
        loop {
            match worker.receive(TICK) {
                Ok(Incoming::Hello) => silent_until = Instant::now() + self.deadline,
                Ok(Incoming::Reply(Reply::Event(event))) => {
                    if !cancelled {
                        silent_until = Instant::now() + self.deadline;
                    }
                    on_event(event);
                }
                Ok(Incoming::Reply(reply)) => return Ok(reply),
                Ok(Incoming::End(error)) => return Err(self.lost(worker, &error)),
                // The reading thread ends only after it has reported why.
                Err(RecvTimeoutError::Disconnected) => return Err(self.lost(worker, &FrameError::Closed)),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if !cancelled && self.cancel.load(Ordering::SeqCst) {
                cancelled = true;
                silent_until = Instant::now() + GRACE;
                if let Ok(frame) = process::frame(&Request::Cancel) {
                    worker.send(frame);
                }
            }
            if Instant::now() >= silent_until {
                worker.kill();
                return Err(if cancelled { cancelled_by_user(self.subject) } else { self.hung() });
            }
        }
    }

    fn hung(&self) -> Diagnostic {
        let seconds = self.deadline.as_secs_f64();
        let message = format!("{} did not answer for {seconds} s, and its worker was stopped", self.subject.what);
        placed(self.subject, Diagnostic::error(message)).hint(match self.subject.job {
            Some(_) => "look for a loop that does not end (the tracer shows the line), or give the kernel less work: a driver in software is slow",
            None => "try again; if the driver hangs again, restart the machine or update the driver",
        })
    }

    /// How a worker was lost whose stream ended with `error`.
    fn lost(&self, worker: &mut Worker, error: &FrameError) -> Diagnostic {
        let what = &self.subject.what;
        match error {
            FrameError::Version(_) => {
                worker.kill();
                Diagnostic::error(format!("{what}: the worker is of another version: {error}"))
                    .hint("restart Warpbook: it was probably updated while it ran")
            }
            FrameError::Oversized(_) | FrameError::Garbage(_) => {
                worker.kill();
                nonsense(self.subject, &error.to_string())
            }
            FrameError::Closed | FrameError::Truncated | FrameError::Io(_) => {
                let ended = worker.ended();
                let said = worker.last_words();
                let said = if said.is_empty() { String::new() } else { format!("; it last said: {said}") };
                let message = format!("{what}: the worker process {}{said}", how(ended));
                placed(self.subject, Diagnostic::error(message)).hint(self.advice(ended))
            }
        }
    }

    fn advice(&self, ended: Option<ExitStatus>) -> &'static str {
        match self.subject.job {
            _ if process::signal(ended) == Some(9) => {
                "something else ended it, perhaps the system for want of memory: try smaller buffers"
            }
            Some(job) if !job.bounds_checks && !self.subject.twin => {
                "leave `--unchecked` away, or tick “Bounds checks” in the window: without guards an index out of bounds may end the process"
            }
            Some(_) => "run it again; if it is lost again, run the kernel on the tracer, which shows what it does",
            None => "try again; `warpbook doctor` shows the driver",
        }
    }
}

fn how(ended: Option<ExitStatus>) -> String {
    match (process::signal(ended), ended.and_then(|status| status.code())) {
        (Some(number), _) => format!("was ended by signal {number}{}", process::signal_name(number)),
        (None, Some(code)) => format!("ended with exit code {code}"),
        (None, None) => "closed its stream and went on".to_owned(),
    }
}

fn nonsense(subject: &Subject<'_>, why: &str) -> Diagnostic {
    Diagnostic::error(format!("{}: the worker sent an invalid answer: {why}", subject.what))
        .hint("run it again; if it happens again, restart Warpbook: it may have been updated while it ran")
}

fn cancelled_by_user(subject: &Subject<'_>) -> Diagnostic {
    placed(subject, Diagnostic::error(format!("{} was cancelled, and its worker stopped", subject.what)))
}

fn placed(subject: &Subject<'_>, diagnostic: Diagnostic) -> Diagnostic {
    match subject.file() {
        Some(file) => diagnostic.in_file(file),
        None => diagnostic,
    }
}
