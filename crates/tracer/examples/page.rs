//! The tracer as a page loads it: a module for `wasm32-unknown-unknown` that takes a question as JSON and answers with
//! a trace as JSON.
//!
//! A page calls [`push`] with each byte of the question, then [`answer`], which returns the answer's length, then
//! [`byte`] for each byte of the answer. `tests/page/` does that, and compares the answers with those of the same code
//! in a native process.
#![expect(unsafe_code, reason = "names that a page can call are exported by an attribute that counts as unsafe")]

use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use warpbook_base::diag::Diagnostic;
use warpbook_base::tensor::Tensor;
use warpbook_tracer::dispatch::TraceSpec;
use warpbook_tracer::simt::{self, Options, Program};
use warpbook_tracer::trace::Trace;

/// One launch of a kernel.
#[derive(Serialize, Deserialize)]
pub struct Question {
    /// The file that messages name.
    pub file: String,
    /// The kernel in WGSL.
    pub source: String,
    /// The entry point.
    pub entry: String,
    /// Values of the kernel's `override`s.
    pub overrides: Vec<(String, f64)>,
    /// Workgroups along x, y, z.
    pub grid: [u32; 3],
    /// The contents of the buffers, in the order of groups and bindings.
    pub buffers: Vec<Tensor>,
    /// Warp instructions after which the run ends.
    pub fuel: u64,
}

/// The result of the launch.
#[derive(Serialize, Deserialize)]
pub struct Answer {
    /// The counts and findings; without the seconds that it took.
    pub trace: Trace,
    /// The contents of the buffers after it.
    pub buffers: Vec<Tensor>,
}

/// Traces a launch, with races looked for.
///
/// # Errors
/// When the question is not a [`Question`], the kernel does not compile, or its buffers do not fit.
pub fn trace(question: &str) -> Result<Answer, Vec<Diagnostic>> {
    let mut asked: Question =
        serde_json::from_str(question).map_err(|error| vec![Diagnostic::error(error.to_string())])?;
    let program = Program::compile(&asked.file, &asked.source, &asked.entry, &asked.overrides)?;
    let spec = TraceSpec { races: true, ..TraceSpec::default() };
    let options = Options { spec, fuel: asked.fuel, ..Options::default() };
    let outcome = simt::run(&program, &mut asked.buffers, asked.grid, &options, &AtomicBool::new(false), &|_, _| {});
    let mut trace = outcome.map_err(|problem| vec![problem])?.trace;
    trace.seconds = 0.0;
    Ok(Answer { trace, buffers: asked.buffers })
}

thread_local! {
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Takes the next byte of the question.
#[unsafe(no_mangle)]
pub extern "C" fn push(byte: u8) {
    QUESTION.with_borrow_mut(|question| question.push(byte));
}

/// Answers the question, and begins a new one; returns the bytes of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let question = QUESTION.take();
    let text = serde_json::to_vec(&trace(&String::from_utf8_lossy(&question))).unwrap_or_default();
    let length = text.len();
    ANSWER.set(text);
    length
}

/// A byte of the answer; 0 after its end.
#[unsafe(no_mangle)]
pub extern "C" fn byte(at: usize) -> u8 {
    ANSWER.with_borrow(|answer| answer.get(at).copied().unwrap_or_default())
}
