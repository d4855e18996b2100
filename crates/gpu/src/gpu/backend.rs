//! The interface of a device to its worker process: trait, events, failures.

use crate::base::diag::Diagnostic;
use crate::job::Job;
use crate::trace::record::{Ceilings, Check, Device, Record};

use serde::{Deserialize, Serialize};

/// Something that happened on the way to a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The current activity, such as "compiling"; for people.
    Stage(String),
    /// The result was compared with its reference.
    Checked(Check),
    /// One sample of the program's time, in seconds a run.
    Sample(f64),
    /// A pass was done, or a check is being made: the work goes on.
    Alive,
}

/// Why a request gave no result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The message, for people.
    pub diagnostic: Diagnostic,
    /// Whether the device can no longer be trusted: the worker then ends after saying so.
    pub fatal: bool,
}

impl Failure {
    /// That a request is no longer wanted; fatal where the device is still working on it.
    #[must_use]
    pub fn cancelled(busy: bool) -> Self {
        Self { diagnostic: Diagnostic::error("the run was cancelled"), fatal: busy }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { diagnostic, fatal: false }
    }
}

/// The name of the [`Part`] that compiles CUDA C++.
pub const NVRTC: &str = "NVRTC";

/// A piece of software that a backend needs or can use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub name: String,
    /// Whether it was found.
    pub found: bool,
    /// Its version, or what was looked for in vain.
    pub what: String,
    /// Advice if it is missing.
    pub hint: Option<String>,
}

/// The receiver of a backend's reports while it works.
pub trait Sink {
    /// Takes an event.
    fn event(&mut self, event: Event);

    /// Whether the result is no longer wanted.
    fn cancelled(&self) -> bool;

    /// Reports that the work goes on. True if its result is no longer wanted.
    fn goes_on(&mut self) -> bool {
        self.event(Event::Alive);
        self.cancelled()
    }
}

/// A sink that drops all events and never cancels; only ending the process does.
pub struct NullSink;

impl Sink for NullSink {
    fn event(&mut self, _: Event) {}

    fn cancelled(&self) -> bool {
        false
    }
}

/// Passes on everything but samples, which are not of the program that was asked for; and the name of their stage.
pub struct WithoutSamples<'a>(pub &'a mut dyn Sink, pub &'static str);

impl Sink for WithoutSamples<'_> {
    fn event(&mut self, event: Event) {
        match event {
            Event::Sample(_) => self.0.event(Event::Stage(self.1.to_owned())),
            other => self.0.event(other),
        }
    }

    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

/// One device.
pub trait Backend {
    /// The device's description and limits.
    fn describe(&mut self) -> Result<Device, Failure>;

    /// The software that the backend consists of, found or missing; empty if there is nothing to report.
    fn parts(&mut self) -> Vec<Part> {
        Vec::new()
    }

    /// Compiles a job's kernels and no more, which takes a compiler but no device; returns the compiler's warnings.
    ///
    /// # Errors
    /// When a kernel does not compile, or there is no compiler apart from the device's driver.
    fn compile(&mut self, job: &Job) -> Result<Vec<Diagnostic>, Failure> {
        let message = format!("`{}` cannot be compiled apart from a run on this backend", job.program);
        Err(Diagnostic::error(message).in_place(&job.place).into())
    }

    /// Compiles a job's kernels in CUDA C++ to PTX, one for each launch, which takes a compiler but no device.
    ///
    /// # Errors
    /// When a kernel does not compile, or there is no compiler.
    fn assemble(&mut self, job: &Job) -> Result<Vec<String>, Failure> {
        let message = format!("`{}` cannot be compiled to PTX by this backend", job.program);
        Err(Diagnostic::error(message).in_place(&job.place).into())
    }

    /// Measures what the device can do at best.
    fn ceilings(&mut self, sink: &mut dyn Sink) -> Result<Ceilings, Failure>;

    /// Compiles, runs, checks and times a job. A program that fails a check gets no timing.
    ///
    /// # Errors
    /// When a kernel does not compile, does not fit the device, or the device fails.
    fn run(&mut self, job: &Job, sink: &mut dyn Sink) -> Result<Record, Failure>;
}

/// Announces a stage, unless the result is no longer wanted.
pub(super) fn stage(sink: &mut dyn Sink, what: &str) -> Result<(), Failure> {
    if sink.cancelled() {
        return Err(Failure::cancelled(false));
    }
    sink.event(Event::Stage(what.to_owned()));
    Ok(())
}
