//! One text through the tracer: what comes of it, and whether that is as it should be.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use warpbook::base::diag::Diagnostic;
use warpbook::base::rng;
use warpbook::base::tensor::{Init, Tensor};
use warpbook::job::{Argument, TraceSpec};
use warpbook::simt::{self, Options, Program, Ptx};

/// Warp instructions for a run. Many texts have loops that do not end.
const FUEL: u64 = 1 << 14;
/// Bytes of a buffer that a run is tried with.
const MAX_BUFFER: u32 = 1 << 20;
/// Bytes that one text may take, beside what the process had before.
const MAX_MEMORY: u64 = 1 << 30;
/// Entry points of one text that are tried.
const ENTRIES: usize = 4;

/// Messages of panics since the last call.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// From here on, panics are noted instead of printed.
pub fn listen_for_panics() {
    std::panic::set_hook(Box::new(|info| {
        let said = info.payload();
        let said = said.downcast_ref::<String>().map(String::as_str).or_else(|| said.downcast_ref::<&str>().copied());
        let at = info.location().map(ToString::to_string).unwrap_or_default();
        if let Ok(mut panics) = PANICS.lock() {
            panics.push(format!("{at}: {}", said.unwrap_or_default().replace('\n', " ")));
        }
    }));
}

/// The outcome of a text.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is no WGSL.
    Rejected,
    /// It is, and the tracer knows no entry point of it.
    Refused,
    /// An entry point ran.
    Ran,
    /// Something is wrong with the tracer: of which sort, and what.
    Wrong(String, String),
}

impl Verdict {
    pub fn wrong(sort: &str, what: &str) -> Self {
        Self::Wrong(sort.to_owned(), what.replace('\n', " "))
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            Self::Refused => "refused",
            Self::Ran => "ran",
            Self::Wrong(..) => "wrong",
        }
    }

    /// The fault, for grouping failures.
    pub fn sort(&self) -> Option<&str> {
        if let Self::Wrong(sort, _) = self { Some(sort) } else { None }
    }

    /// Whether the process did not survive it.
    pub fn is_end(&self) -> bool {
        matches!(self.sort(), Some("slow" | "crash"))
    }

    /// As one line, which [`Verdict::of_line`] reads.
    pub fn line(&self) -> String {
        match self {
            Self::Wrong(sort, what) => format!("wrong {sort}: {what}"),
            other => other.name().to_owned(),
        }
    }

    pub fn of_line(line: &str) -> Self {
        match line {
            "rejected" => Self::Rejected,
            "refused" => Self::Refused,
            "ran" => Self::Ran,
            other => {
                let rest = other.strip_prefix("wrong ").unwrap_or(other);
                let (sort, what) = rest.split_once(": ").unwrap_or((rest, ""));
                Self::wrong(sort, what)
            }
        }
    }
}

/// The fault of a panic during a call that did or did not report it.
pub fn after_panic(panic: &str, told: bool) -> Option<Verdict> {
    // naga's own panics only have to be reported as a diagnostic.
    if panic.contains("/naga-") && told {
        return None;
    }
    let (at, what) = panic.split_once(": ").unwrap_or((panic, ""));
    Some(Verdict::wrong(&format!("panic at {at}"), what))
}

fn panicked(told: bool) -> Option<Verdict> {
    let panics = PANICS.lock().map(|mut panics| std::mem::take(&mut *panics)).unwrap_or_default();
    panics.iter().find_map(|panic| after_panic(panic, told))
}

/// Tries a text in WGSL in all ways that the tracer has.
pub fn judge(text: &str, seed: u64) -> Verdict {
    within_memory(|| attempt(text, seed))
}

/// The same for a text in PTX.
pub fn judge_ptx(text: &str, seed: u64) -> Verdict {
    within_memory(|| attempt_ptx(text, seed))
}

fn within_memory(attempt: impl FnOnce() -> Result<Verdict, Verdict>) -> Verdict {
    let before = forget_peak();
    let verdict = attempt().unwrap_or_else(|wrong| wrong);
    let after = peak().saturating_sub(before);
    if after > MAX_MEMORY && verdict.sort().is_none() {
        return Verdict::wrong("memory", &format!("it takes {} MiB", after >> 20));
    }
    verdict
}

fn attempt(text: &str, seed: u64) -> Result<Verdict, Verdict> {
    let entries = told(text, simt::entry_points("text.wgsl", text))?;
    let overrides = told(text, simt::overrides("text.wgsl", text))?;
    let (Some(entries), Some(overrides)) = (entries, overrides) else { return Ok(Verdict::Rejected) };
    let constants: Vec<(String, f64)> =
        overrides.into_iter().filter(|o| o.required).map(|o| (o.name, f64::from((seed % 5) as u32))).collect();
    if entries.is_empty() {
        told(text, Program::compile("text.wgsl", text, "main", &constants))?;
    }
    let mut verdict = Verdict::Refused;
    for entry in entries.iter().take(ENTRIES) {
        let Some(program) = told(text, Program::compile("text.wgsl", text, &entry.name, &constants))? else { continue };
        if run(&program, text, seed, &[8, 16, 32, 64])? {
            verdict = Verdict::Ran;
        }
    }
    Ok(verdict)
}

fn attempt_ptx(text: &str, seed: u64) -> Result<Verdict, Verdict> {
    let one = |error| vec![error];
    let Some(entries) = told(text, simt::ptx_entries("text.ptx", text).map_err(one))? else {
        return Ok(Verdict::Rejected);
    };
    let Some(entry) = entries.get(rng::word(seed, 200) as usize % entries.len().max(1)) else {
        return Ok(Verdict::Refused);
    };
    let parameters = simt::ptx_signature("text.ptx", text, entry).map(|signature| signature.parameters).map_err(one);
    let Some(parameters) = told(text, parameters)? else { return Ok(Verdict::Rejected) };
    if parameters.iter().any(|p| p.bytes > MAX_BUFFER) {
        return Ok(Verdict::Refused);
    }
    let argument = |p: &simt::Parameter| match p.is_pointer && p.bytes == 8 {
        true => Argument::Buffer(p.name.clone()),
        false => Argument::Value([40, 0, 0, 0].repeat(p.bytes.div_ceil(4) as usize)[..p.bytes as usize].to_vec()),
    };
    let arguments: Vec<Argument> = parameters.iter().map(argument).collect();
    let block = [[32, 1, 1], [64, 1, 1], [8, 5, 1], [256, 1, 1]][rng::word(seed, 201) as usize % 4];
    let ptx = Ptx {
        file: "text.ptx",
        text,
        entry,
        block,
        shared_bytes: rng::word(seed, 202) % 3 * 256,
        arguments: &arguments,
        source: &|_, _| None,
    };
    let Some(program) = told(text, Program::compile_ptx(&ptx))? else { return Ok(Verdict::Refused) };
    Ok(if run(&program, text, seed, &[32])? { Verdict::Ran } else { Verdict::Refused })
}

/// The outcome of a call, if it is one, once its errors are found fit for people.
fn told<T>(text: &str, outcome: Result<T, Vec<Diagnostic>>) -> Result<Option<T>, Verdict> {
    panicked(outcome.is_err()).map_or(Ok(()), Err)?;
    let errors = match outcome {
        Ok(value) => return Ok(Some(value)),
        Err(errors) => errors,
    };
    if errors.is_empty() {
        return Err(Verdict::wrong("silence", "no error is given"));
    }
    for error in &errors {
        // Buffers and grids have no place in the text: these are the caller's.
        let lines = text.split('\n').count();
        let placed = error.place.as_ref().is_some_and(|p| (1..=lines).contains(&(p.line as usize)) && p.column > 0);
        if !placed {
            return Err(Verdict::wrong("place", &error.to_string()));
        }
        // Names of the text's own are quoted.
        let own: String = error.message.split('`').step_by(2).collect();
        if error.message.is_empty() || own.to_lowercase().contains("internal") {
            return Err(Verdict::wrong("words", &error.to_string()));
        }
    }
    Ok(None)
}

/// Runs a program with warps of one of `widths` lanes, and says whether it could be.
fn run(program: &Program, text: &str, seed: u64, widths: &[u32]) -> Result<bool, Verdict> {
    if program.bindings().iter().any(|b| b.min_bytes > MAX_BUFFER) {
        return Ok(false);
    }
    // Each choice has its own dice, so that all of them meet.
    let draw = |which: u64, of: u32| (rng::word(seed, which) % of) as usize;
    let fill = |(i, b): (usize, &simt::Binding)| {
        let words = b.min_bytes.div_ceil(4) as usize + if b.stride.is_some() { 61 } else { 0 };
        let init = [Init::Zero, Init::Iota, Init::Random, Init::Poison][draw(i as u64, 4)];
        Tensor::new(b.elem, words, init, seed, i as u64)
    };
    let mut buffers: Vec<Tensor> = program.bindings().iter().enumerate().map(fill).collect();
    let spec = TraceSpec {
        warp_width: widths[draw(100, 4) % widths.len()],
        races: draw(101, 3) == 0,
        timeline_workgroups: if draw(102, 2) == 0 { vec![1] } else { Vec::new() },
        max_events: 1000,
        ..TraceSpec::default()
    };
    let options = Options { spec, fuel: FUEL, threads: Some(1), count: draw(103, 5) > 0, ..Options::default() };
    let grid = [[2, 1, 1], [1, 3, 1], [0, 1, 1], [2, 1, 2]][draw(104, 4)];
    let go = || simt::run(program, &mut buffers, grid, &options, &AtomicBool::new(false), &|_, _| {});
    let outcome = catch_unwind(AssertUnwindSafe(go));
    panicked(false).map_or(Ok(()), Err)?;
    let Ok(outcome) = outcome else { return Err(Verdict::wrong("panic at nowhere", "")) };
    Ok(told(text, outcome.map_err(|error| vec![error]))?.is_some())
}

/// The process's present memory in bytes; its peak counts from here on. Memory is ignored if the system does not report
/// it.
fn forget_peak() -> u64 {
    _ = std::fs::write("/proc/self/clear_refs", "5");
    peak()
}

/// The most that the process held, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) << 10
}
