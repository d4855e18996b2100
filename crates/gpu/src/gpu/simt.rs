//! The tracer as a backend: a job in, a record with its trace out. It runs in this process: fuel and the cancel flag
//! bound it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::backend::{Event as Progress, Failure};
use super::not_a_number;
use super::outputs::Outputs;
use super::walk::{Host, Turn, Walked, walk};
use crate::base::diag::Diagnostic;
use crate::base::parts::{Places, parts};
use crate::base::tensor::{Elem, Init, Tensor};
use crate::job::{Action, Assembled, BufferSpec, Code, Job, Launch, Shown, TraceSpec, Twin, paged, written_for_cuda};
use crate::simt::{self, Behind, Options, Program, Recent, Watched};
use crate::trace::record::{Backend, Device, MAX_ROUNDS, MatrixShape, Record};
use crate::trace::{AccessCounts, GlobalCounts, Moved, PassRecord, RoundCounts, Trace};

/// The tracer, described as a device. It has WebGPU's default limits where it needs any.
#[must_use]
pub fn device() -> Device {
    Device {
        backend: Backend::Simt,
        name: "Warpbook's tracer (CPU)".to_owned(),
        driver: String::new(),
        api: String::new(),
        software: true,
        timestamps: false,
        subgroup: [32, 32],
        // It runs in the program that holds the learner's notes, with a copy of each buffer that a check needs.
        max_binding_bytes: paged::WHOLE,
        max_buffer_bytes: paged::WHOLE,
        max_workgroup_invocations: 1024,
        max_workgroup_size: [1024, 1024, 64],
        max_grid: [65_535; 3],
        max_shared_bytes: 48 << 10,
        f16: true,
        cooperative: shapes(),
    }
}

/// The cooperative matrices that the tracer knows: all that WGSL can name.
fn shapes() -> Vec<MatrixShape> {
    let square = |n, factors, sum| MatrixShape { m: n, n, k: n, factors, sum };
    let sizes = [16, 8].into_iter();
    sizes
        .flat_map(|n| {
            [square(n, Elem::F16, Elem::F32), square(n, Elem::F16, Elem::F16), square(n, Elem::F32, Elem::F32)]
        })
        .collect()
}

/// Runs and traces a job.
///
/// # Errors
/// When it is cancelled, does not compile, exceeds [`device`]'s limits, or asks for a reference that does not exist.
pub fn run(job: &Job, cancel: &AtomicBool, on_progress: &mut dyn FnMut(Progress)) -> Result<Record, Diagnostic> {
    let mut machine = Machine::new(job, cancel)?;
    on_progress(Progress::Stage("tracing".to_owned()));
    let walked = walk(job, &mut machine, true).map_err(|failure| failure.diagnostic)?;
    let is_not_a_number = not_a_number::is_in_series(&walked);
    if cancel.load(Ordering::Relaxed) {
        return Err(Diagnostic::error(format!("tracing `{}` was cancelled", job.program)));
    }
    let mut record = machine.record(walked);
    if is_not_a_number {
        let mut again = Machine::new(job, cancel)?;
        record.warnings.extend(not_a_number::first(job, &mut again).map_err(|failure| failure.diagnostic)?);
    }
    Ok(record)
}

/// A program's buffers in the tracer's memory, and what is known of its passes so far.
pub(super) struct Machine<'a> {
    pub job: &'a Job,
    spec: TraceSpec,
    /// The compiled kernels, by pass; those of passes with the same code are shared.
    pub programs: Vec<Option<Arc<Program>>>,
    pub tensors: Vec<Tensor>,
    passes: Vec<PassRecord>,
    outputs: Outputs,
    /// The caches, where their hits are counted.
    behind: Option<Behind>,
    /// Warp instructions that are left.
    fuel: u64,
    cancel: &'a AtomicBool,
}

impl<'a> Machine<'a> {
    pub fn new(job: &'a Job, cancel: &'a AtomicBool) -> Result<Self, Diagnostic> {
        if let Some(problem) = super::limits::check(job, &device()).into_iter().next() {
            return Err(problem);
        }
        let passes = job.passes.iter().map(|pass| PassRecord {
            id: pass.id.clone(),
            kernel: pass.launch().map(|launch| launch.kernel.clone()),
            ..PassRecord::default()
        });
        let spec = job.trace.clone().unwrap_or_default();
        let fill = |(i, buffer): (usize, &BufferSpec)| match job.is_paged(i) {
            true => buffer.held().fill(job.seed, i),
            false => buffer.fill(job.seed, i),
        };
        let tensors = job.buffers.iter().enumerate().map(fill);
        Ok(Self {
            job,
            programs: compile(job)?,
            tensors: tensors.collect::<Result<_, Diagnostic>>()?,
            passes: passes.collect(),
            outputs: Outputs::new(job),
            behind: spec.caches.map(|caches| Behind::new(caches, job.buffers.iter().map(BufferSpec::bytes))),
            fuel: spec.fuel,
            spec,
            cancel,
        })
    }

    fn launch(&mut self, turn: Turn, launch: &Launch) -> Result<bool, Failure> {
        let Turn { pass: place, launch: number, grid } = turn;
        let Some(program) = self.programs[place].clone() else { return Ok(true) };
        let grid = grid.unwrap_or_else(|| launch.grid.most());
        let shown = self.spec.shown == Shown { pass: place, launch: number };
        let blocks = grid.into_iter().map(u64::from).product();
        let quick = self.spec.only_timeline_workgroups;
        let columns: Vec<Option<u64>> =
            launch.bindings.iter().map(|binding| self.job.buffers[binding.buffer].columns).collect();
        let options = Options {
            fuel: self.fuel,
            threads: None,
            // A quick trace counts only the launch shown; earlier launches only make the buffers that it reads.
            count: (shown || !quick) && self.spec.counts,
            heat: if self.spec.heat && shown { columns.clone() } else { Vec::new() },
            course: self.spec.course.as_ref().map(|variables| Watched {
                columns: columns.clone(),
                variables: variables.clone(),
                phases: shown,
            }),
            requests: self.behind.as_ref().map(|behind| {
                let bases = launch.bindings.iter().map(|binding| behind.base(binding.buffer)).collect();
                (bases, behind.l1_bytes(&program, blocks))
            }),
            poison: Some(launch.bindings.iter().map(|binding| self.job.buffers[binding.buffer].is_poison()).collect()),
            paged: launch.bindings.iter().map(|binding| self.paged(binding.buffer)).collect(),
            spec: TraceSpec {
                timeline_workgroups: if shown { self.spec.timeline_workgroups.clone() } else { Vec::new() },
                only_timeline_workgroups: quick && shown,
                races: self.spec.races && (shown || !quick),
                // A later pass may need all results of an earlier one, so only the last pass is sampled.
                sample: self.spec.sample.filter(|_| place + 1 == self.job.passes.len()),
                ..self.spec.clone()
            },
        };
        let mut tensors = self.take(launch);
        let outcome = simt::run(&program, &mut tensors, grid, &options, self.cancel, &|_, _| {});
        for (binding, tensor) in launch.bindings.iter().zip(tensors) {
            // Of a buffer that is bound twice, and so only read, both are the same.
            self.tensors[binding.buffer] = tensor;
        }
        let mut outcome = outcome?;
        if let (Some(behind), Some(requests)) = (&mut self.behind, outcome.requests.take()) {
            behind.serve(&program, blocks, requests, &mut outcome.trace);
        }
        let text = launch.text();
        let findings = outcome.trace.findings.iter_mut().map(|finding| &mut finding.message);
        let notes = outcome.trace.notes.iter_mut().map(|note| &mut note.message);
        let messages: Vec<&mut String> = findings.chain(notes).collect();
        if !messages.is_empty() {
            let places = Places::of(text);
            messages.into_iter().for_each(|message| *message = places.in_words(message));
        }
        self.fuel = outcome.fuel;
        self.outputs.launched(launch, &program, &outcome.written);
        if let Some(timeline) = &mut outcome.timeline {
            for ((buffer, columns), binding) in timeline.buffers.iter_mut().zip(columns).zip(&launch.bindings) {
                (buffer.columns, buffer.of) = (columns, self.job.buffers[binding.buffer].name.clone());
            }
        }
        let name = |binding: usize| self.job.buffers[launch.bindings[binding].buffer].name.clone();
        if let Some(course) = &mut outcome.course {
            course.launch = (place, number);
            course.variables.iter_mut().take(launch.bindings.len()).enumerate().for_each(|(i, v)| v.of = name(i));
        }
        let moved: Vec<Moved> = (0..).zip(outcome.moved).map(|(i, moved)| Moved { buffer: name(i), ..moved }).collect();
        let goes_on = outcome.trace.complete && !(quick && shown);
        let groups = grid.into_iter().map(u64::from).product();
        let pass = &mut self.passes[place];
        pass.timeline = outcome.timeline.or(pass.timeline.take());
        pass.heat = outcome.heat.or(pass.heat.take());
        pass.course = outcome.course.or(pass.course.take());
        add_moved(&mut pass.moved, moved);
        if options.count {
            count(pass, outcome.trace, groups);
        }
        Ok(goes_on)
    }

    /// The bytes of a paged buffer; None of others.
    fn paged(&self, buffer: usize) -> Option<u64> {
        self.job.is_paged(buffer).then(|| self.job.buffers[buffer].bytes())
    }

    /// Notes what a copy or a fill reads of a buffer and writes to it, in bytes.
    fn copied(&mut self, pass: usize, buffer: usize, [loaded, stored]: [u64; 2]) {
        if self.spec.course.is_some() {
            let buffer = self.job.buffers[buffer].name.clone();
            let moved = Moved { buffer, loaded, loaded_once: loaded, stored, stored_once: stored };
            add_moved(&mut self.passes[pass].moved, vec![moved]);
        }
    }

    /// The buffers of a launch, in the order of its bindings.
    fn take(&mut self, launch: &Launch) -> Vec<Tensor> {
        let mut taken: Vec<Tensor> = Vec::new();
        for (i, binding) in launch.bindings.iter().enumerate() {
            let before = launch.bindings[..i].iter().position(|earlier| earlier.buffer == binding.buffer);
            let tensor = match before {
                Some(before) => taken[before].clone(),
                None => {
                    let elem = self.tensors[binding.buffer].elem;
                    std::mem::replace(&mut self.tensors[binding.buffer], Tensor { elem, words: Vec::new() })
                }
            };
            taken.push(tensor);
        }
        taken
    }

    pub fn record(mut self, walked: Walked) -> Record {
        for (pass, (record, launches)) in self.job.passes.iter().zip(self.passes.iter_mut().zip(&walked.launches)) {
            record.launches = *launches;
            record.work = pass.work.times(*launches);
            if record.rounds.len() == 1 {
                record.rounds.clear();
            }
            // A pass that never had its turn ran completely: there was nothing to do.
            record.trace.get_or_insert_with(|| Trace { complete: walked.ended, ..Trace::default() });
        }
        // Who left off midway left more than was meant.
        let unwritten = if walked.ended { self.outputs.unwritten(self.job) } else { Vec::new() };
        let work = self.job.work.unwrap_or_else(|| {
            self.passes.iter().fold(crate::base::units::Work::default(), |sum, pass| sum + pass.work)
        });
        Record {
            program: self.job.program.clone(),
            backend: Backend::Simt,
            rounds: walked.rounds.clone(),
            series: walked.series.clone(),
            looks: walked.looks.clone(),
            film: walked.film.clone(),
            passes: self.passes,
            checks: walked.checks(),
            work,
            timing: None,
            unwritten,
            warnings: Vec::new(),
        }
    }
}

impl Host for Machine<'_> {
    fn pass(&mut self, turn: Turn) -> Result<bool, Failure> {
        let (job, place) = (self.job, turn.pass);
        self.outputs.moved(&job.passes[place].action);
        let goes_on = match &job.passes[place].action {
            Action::Launch(launch) => self.launch(turn, launch)?,
            Action::Copy { from, to } => {
                let bytes = job.buffers[*from].bytes();
                self.tensors[*to] = self.tensors[*from].clone();
                count(&mut self.passes[place], moved(bytes, bytes), 0);
                self.copied(place, *from, [bytes, 0]);
                self.copied(place, *to, [0, bytes]);
                true
            }
            Action::Fill { buffer, value } => {
                let spec = &job.buffers[*buffer];
                let count_of = usize::try_from(spec.count).unwrap_or(usize::MAX);
                self.tensors[*buffer] = Tensor::new(spec.elem, count_of, Init::Value(*value), 0, 0);
                count(&mut self.passes[place], moved(0, spec.bytes()), 0);
                self.copied(place, *buffer, [0, spec.bytes()]);
                true
            }
        };
        Ok(goes_on)
    }

    fn content(&mut self, buffer: usize) -> Result<Tensor, Failure> {
        Ok(self.tensors[buffer].clone())
    }

    fn first_elements(&mut self, buffer: usize, most: usize) -> Result<Tensor, Failure> {
        let Tensor { elem, words } = &self.tensors[buffer];
        Ok(Tensor { elem: *elem, words: words[..words.len().min(most.div_ceil(elem.in_word()))].to_vec() })
    }

    fn elements(&mut self, buffer: usize, first: u64, count: u64) -> Result<Vec<f64>, Failure> {
        let tensor = &self.tensors[buffer];
        let at = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).min(tensor.len());
        Ok((at(first)..at(first.saturating_add(count))).map(|i| tensor.get(i)).collect())
    }

    fn cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}

/// Adds the counts of one launch to those of its pass.
fn count(pass: &mut PassRecord, trace: Trace, workgroups: u64) {
    if pass.rounds.len() < MAX_ROUNDS {
        pass.rounds.push(RoundCounts {
            workgroups,
            warp_instructions: trace.warp_instructions,
            bytes: trace.global_bytes(),
            sectors: trace.global_sectors(),
        });
    }
    match &mut pass.trace {
        Some(total) => total.add(&trace),
        None => pass.trace = Some(trace),
    }
}

/// Adds what one launch moved to what its pass did.
fn add_moved(all: &mut Vec<Moved>, more: Vec<Moved>) {
    for moved in more {
        match all.iter_mut().find(|known| known.buffer == moved.buffer) {
            Some(known) => known.add(&moved),
            None => all.push(moved),
        }
    }
}

/// The counts of a copy or a fill, which no lane does: bytes that are read and written, in whole sectors.
fn moved(read: u64, written: u64) -> Trace {
    let access = |bytes: u64| AccessCounts { requests: 0, sectors: bytes.div_ceil(32), bytes };
    let global = GlobalCounts { load: access(read), store: access(written), ..GlobalCounts::default() };
    Trace { global, complete: true, ..Trace::default() }
}

/// The kernels of a job, by pass; one that was compiled lately is not compiled again.
fn compile(job: &Job) -> Result<Vec<Option<Arc<Program>>>, Diagnostic> {
    static ASSEMBLED: Recent<Assembled> = Recent::new();
    let of_launch = |launch: &Launch| match &launch.code {
        Code::Wgsl(wgsl) => Program::shared(&wgsl.file, &wgsl.source, &wgsl.entry, &wgsl.overrides),
        Code::Ptx(assembled) => ASSEMBLED.get(assembled.clone(), assemble),
        Code::Cuda { twin, .. } => Err(vec![written_for_cuda(&launch.kernel, &twin.file)]),
    };
    job.passes.iter().map(|pass| pass.launch().map(of_launch).transpose().map_err(first)).collect()
}

/// The line of the text that PTX was made of at which a line of a file is shown; None if it is not. A text that is the
/// PTX itself has its own lines.
pub(super) fn shown_lines<'a>(twin: &'a Twin, ptx: &str) -> impl Fn(&str, u32) -> Option<u32> + Sync + use<'a> {
    let parts = parts(&twin.source);
    let own = file_name(&twin.file);
    let is_source = *twin.source != *ptx;
    move |file: &str, line: u32| {
        let file = file_name(file);
        let part = parts.iter().find(|part| part.name().map_or(file == own, |name| name == file))?;
        is_source.then_some(part.before + line)
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Compiles a kernel in PTX, with the lines of the text that it was made of.
pub fn assemble(assembled: &Assembled) -> Result<Program, Vec<Diagnostic>> {
    let Assembled { twin, ptx, block, shared_bytes, arguments } = assembled;
    let own = file_name(&twin.file);
    let is_source = twin.source != *ptx;
    let line = shown_lines(twin, ptx);
    let file = if is_source {
        format!("{}.ptx", own.rsplit_once('.').map_or(own, |(stem, _)| stem))
    } else {
        twin.file.clone()
    };
    Program::compile_ptx(&simt::Ptx {
        file: &file,
        text: ptx,
        entry: &simt::ptx_entry_named(ptx, &twin.entry).unwrap_or_else(|| twin.entry.clone()),
        block: *block,
        shared_bytes: *shared_bytes,
        arguments,
        source: &line,
    })
}

/// One diagnostic for several: the first, with the number of the others.
fn first(mut problems: Vec<Diagnostic>) -> Diagnostic {
    let others = problems.len().saturating_sub(1);
    let mut problem =
        if problems.is_empty() { Diagnostic::error("the shader does not compile") } else { problems.remove(0) };
    if others > 0 {
        problem.message = format!("{} (and {others} more)", problem.message);
    }
    problem
}
