//! A launch over the whole grid: workgroups spread over cores, with the same outcome on any number of them.
//!
//! Workgroups run in batches of a fixed size. Each has an equal share of the fuel that is left; one that needs more waits
//! and goes on when its batch is done, alone and in order. So nothing depends on which thread was faster.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use super::again::{self, Again};
use super::code::Code;
use super::drive::{Watchers, drive};
use super::fragment::LANES;
use super::observers::{
    Between, Checks, Counter, Fetched, Fetching, Findings, Following, Global, Poisoned, Recorder, Requested,
    Requesting, Requests, Stored, Trail, Watched, Written,
};
use super::pages::{self, Pages};
use super::waiting::Waiting;
use super::workgroup::{Progress, Scene, Workgroup, warps};
use super::{Program, arrival, classes, emit, memory, tally};
use crate::dispatch::TraceSpec;
use crate::trace::{Course, Heat, Moved, Space, Timeline, Trace, TracedBuffer};
use warpbook_base::diag::Diagnostic;
use warpbook_base::tensor::Tensor;

/// Workgroups of a batch.
const BATCH: usize = 1024;
/// Workgroups that one task runs one after another, at most.
const CHUNK: usize = 32;

/// Bytes that one workgroup's registers, arrays and memory may take, and that those which wait for fuel may together.
const MAX_BYTES: u64 = 512 << 20;

/// Workgroups of a grid, at most: their numbers fit in an event.
const MAX_WORKGROUPS: u64 = 1 << 32;

/// How to run a program.
#[derive(Clone, Debug)]
pub struct Options {
    /// The options of the trace.
    pub spec: TraceSpec,
    /// Warp instructions that the whole run may take.
    pub fuel: u64,
    /// Threads to use; none for as many as there are cores.
    pub threads: Option<usize>,
    /// Whether to count. Without, the kernel is only executed, and findings are still reported.
    pub count: bool,
    /// By binding, the columns of the row-major matrix whose fetches are counted; empty where none are.
    pub heat: Vec<Option<u64>>,
    /// Whom to follow from barrier to barrier; None follows nobody.
    pub course: Option<Watched>,
    /// To keep the requests that go past L1: the first sector of each binding's buffer, and the bytes of L1 that a workgroup has.
    pub requests: Option<(Vec<u32>, u64)>,
    /// By binding, whether the unwritten part of the buffer is poison. None: that of buffers which hold nothing but poison.
    pub poison: Option<Vec<bool>>,
    /// By binding, the bytes of a buffer that is too large to be held: its tensor has room for the pages that the launch touches. None for
    /// other buffers, and for all after the end of the list. Heat, course and timeline know no such buffer.
    pub paged: Vec<Option<u64>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            spec: TraceSpec::default(),
            fuel: 1 << 36,
            threads: None,
            count: true,
            heat: Vec::new(),
            course: None,
            requests: None,
            poison: None,
            paged: Vec::new(),
        }
    }
}

/// The result of a run.
#[derive(Debug)]
pub struct Outcome {
    /// Counts and findings.
    pub trace: Trace,
    /// Single events, of the workgroups that were asked for.
    pub timeline: Option<Timeline>,
    /// How often the elements of matrices were fetched, where that was asked for.
    pub heat: Option<Heat>,
    /// Each recorded workgroup's intervals between barriers; None unless requested.
    pub course: Option<Course>,
    /// By binding, what was moved; empty where nobody was followed.
    pub moved: Vec<Moved>,
    /// The requests that went past L1; None unless requested.
    pub requests: Option<Requests>,
    /// By binding, where the run stored to; empty unless races were looked for over the whole grid.
    pub written: Vec<Written>,
    /// The fuel that is left.
    pub fuel: u64,
}

/// Runs `program` over `grid` workgroups on `buffers`, which are in the order of [`Program::bindings`] and hold the
/// results afterwards. `cancel` stops it early; `progress` is called with how many workgroups of how many are done.
///
/// # Errors
/// Buffers that do not fit the program, a grid or a workgroup that is too large, a warp width other than 8, 16, 32 or
/// 64, or threads that cannot be started.
pub fn run(
    program: &Program,
    buffers: &mut [Tensor],
    grid: [u32; 3],
    options: &Options,
    cancel: &AtomicBool,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Outcome, Diagnostic> {
    tally::count();
    program.check_buffers(buffers)?;
    check_grid(grid)?;
    let workgroups = grid.into_iter().map(u64::from).product();
    let variables = &program.ir.variables;
    let fetched =
        (!options.heat.is_empty()).then(|| Fetched::new(&options.heat, variables, &sizes(buffers), workgroups));
    let sizes = sizes(buffers);
    let trail = options.course.as_ref().map(|watched| Trail::new(watched, variables, &sizes, workgroups));
    let requested = options.requests.as_ref().map(|(bases, l1_bytes)| Requested::new(bases, *l1_bytes));
    let pages = pages::of_launch(program, buffers, &options.paged)?;
    let in_order = program.in_order || pages.iter().any(Option::is_some);
    let (fetches, follows) = (fetched.as_ref(), trail.as_ref());
    let launch = Launch {
        program,
        grid,
        options,
        pages: &pages,
        in_order,
        fetched: fetches,
        trail: follows,
        requested: requested.as_ref(),
        cancel,
        progress,
    };
    let go = |buffers: &mut [Tensor]| {
        program.with_own(buffers, |buffers| match options.spec.warp_width {
            8 => launch.run::<8>(buffers),
            16 => launch.run::<16>(buffers),
            32 => launch.run::<32>(buffers),
            64 => launch.run::<64>(buffers),
            other => Err(Diagnostic::error(format!("a warp cannot have {other} lanes")).hint("choose 8, 16, 32 or 64")),
        })
    };
    let outcome = match options.threads {
        None | Some(1) => go(buffers),
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|e| Diagnostic::error(format!("{threads} threads cannot be started: {e}")))?;
            pool.install(|| go(buffers))
        }
    }?;
    pages::check(program, &pages, &outcome.trace.findings)?;
    let (course, moved) = trail.map(Trail::finish).unwrap_or_default();
    let requests = requested.map(Requested::finish);
    Ok(Outcome { heat: fetched.map(|fetched| fetched.finish(variables)), course, moved, requests, ..outcome })
}

/// Refuses a grid whose workgroups cannot be numbered.
pub(super) fn check_grid(grid: [u32; 3]) -> Result<(), Diagnostic> {
    let workgroups = grid.iter().fold(1_u64, |n, x| n.saturating_mul(u64::from(*x)));
    if workgroups > MAX_WORKGROUPS {
        return Err(Diagnostic::error(format!("a grid of {workgroups} workgroups is too large to trace"))
            .hint(format!("trace {MAX_WORKGROUPS} workgroups or fewer")));
    }
    Ok(())
}

/// The code of warps of `W` lanes for buffers of these sizes; refuses workgroups that take too much memory.
pub(super) fn code_for<const W: usize>(
    program: &Program,
    tensors: &[Tensor],
    pages: &[Option<Arc<Pages>>],
) -> Result<Code, Diagnostic> {
    let size = program.workgroup_size();
    let of_one_width = [(program.ir.dialect.is_ptx(), "CUDA is"), (program.ir.cooperative, "cooperative matrices are")];
    if let Some((_, what)) = of_one_width.into_iter().find(|(is, _)| *is && W as u32 != LANES) {
        let message = format!("{what} traced with warps of {LANES} lanes, not {W}");
        return Err(Diagnostic::error(message).in_file(&program.file).hint(format!("choose a warp of {LANES} lanes")));
    }
    let classes = classes::infer(&program.ir, &program.regions, W as u32, size);
    let code = emit::emit(&program.ir, &program.regions, &classes, &sizes(tensors), pages);
    let bytes = Workgroup::<W>::bytes(&code, size, program.shared_bytes());
    if bytes > MAX_BYTES {
        let message = format!("the variables of a workgroup take {} MiB, too much to trace", bytes >> 20);
        let hint = "make its arrays smaller, or the workgroup";
        return Err(Diagnostic::error(message).in_file(&program.file).hint(hint));
    }
    Ok(code)
}

/// The buffers' sizes in bytes.
fn sizes(tensors: &[Tensor]) -> Vec<u32> {
    tensors.iter().map(|t| u32::try_from(t.words.len() * 4).unwrap_or(u32::MAX)).collect()
}

pub(super) struct Launch<'a> {
    program: &'a Program,
    grid: [u32; 3],
    pub options: &'a Options,
    pages: &'a [Option<Arc<Pages>>],
    /// Whether workgroups run one after another.
    in_order: bool,
    pub fetched: Option<&'a Fetched>,
    pub trail: Option<&'a Trail<'a>>,
    pub requested: Option<&'a Requested<'a>>,
    cancel: &'a AtomicBool,
    progress: &'a (dyn Fn(u64, u64) + Sync),
}

/// The result of a task.
pub(super) struct Part<'a, const W: usize> {
    pub counter: Option<Counter>,
    pub findings: Findings,
    pub recorders: Vec<Recorder<'a>>,
    /// Workgroups whose fuel did not last, or that wait for others.
    pub waiting: Vec<Waiting<'a, W>>,
    pub used: u64,
    pub cancelled: bool,
}

/// A run under way.
pub(super) struct Totals<'a> {
    pub counter: Option<Counter>,
    pub findings: Findings,
    pub recorders: Vec<Recorder<'a>>,
    pub fuel: u64,
    pub complete: bool,
}

/// The fuel of a task.
#[derive(Clone, Copy)]
enum Fuel {
    /// As much for each of its workgroups.
    Each(u64),
    /// For all of them together.
    Together(u64),
}

impl Launch<'_> {
    fn run<const W: usize>(&self, tensors: &mut [Tensor]) -> Result<Outcome, Diagnostic> {
        // A page has no clock: there `Instant::now` panics.
        let started = (!cfg!(target_family = "wasm")).then(Instant::now);
        let program = self.program;
        let size = program.workgroup_size();
        let sizes = sizes(tensors);
        let code = code_for::<W>(program, tensors, self.pages)?;
        let bytes = Workgroup::<W>::bytes(&code, size, program.shared_bytes());
        // If only a part of the grid runs, what the rest would have written is unknown.
        let whole = !self.options.spec.only_timeline_workgroups;
        let looked_for = whole && self.options.spec.races;
        let poisoned: Vec<Poisoned> =
            if looked_for { Poisoned::of(tensors, self.options.poison.as_deref()) } else { Vec::new() };
        let all = self.grid.into_iter().map(u64::from).product::<u64>();
        let kept = if looked_for { again::kept(&code, program, tensors) } else { Vec::new() };
        let buffers = memory::open(&program.all_bindings(), tensors);
        let judged = looked_for && all > 1;
        let excused = program.ir.dialect.is_ptx();
        let between = (judged && !code.releases).then(|| Between::new(&code, &buffers, excused));
        let global = (judged && code.releases).then(Global::new);
        let stored = looked_for.then(|| Stored::new(&sizes));
        let scene = Scene {
            code: &code,
            variables: &program.ir.variables,
            buffers: &buffers,
            poisoned: &poisoned,
            between: between.as_ref(),
            global: global.as_ref(),
            stored: stored.as_ref(),
            backward: false,
            size,
            grid: self.grid,
            cancel: self.cancel,
        };
        let wanted = self.wanted(all);
        let sample = self.options.spec.sampled(all);
        let waiting = usize::try_from(MAX_BYTES / bytes.max(1)).unwrap_or(BATCH);
        let (mut totals, ran) =
            self.all_batches::<W>(&scene, all, (&wanted, sample.as_deref()), waiting.clamp(1, BATCH));
        let again = Again { scene: &scene, program, kept: &kept, used: self.options.fuel - totals.fuel };
        if looked_for {
            let between = between.as_ref().map(Between::raced).into_iter().flatten();
            let raced = between.chain(global.as_ref().map(Global::raced).into_iter().flatten()).collect();
            again.judge::<W>(again::known(&scene, program, W as u32), raced, &mut totals.findings);
        }
        let printed = totals.findings.take_printed();
        let others = if looked_for && totals.complete {
            let unused = again.unused_loads::<W>(&mut totals.findings);
            let is_contended = |line: u32, buffer: Option<u16>| {
                let in_buffer =
                    buffer.zip(between.as_ref()).is_some_and(|(buffer, between)| between.is_contended(buffer));
                in_buffer || totals.findings.is_contended(line)
            };
            unused.into_iter().chain(arrival::notes(&program.ir, &is_contended)).collect()
        } else {
            Vec::new()
        };
        let (findings, notes) = totals.findings.into_lists(self.program.ir.dialect);
        let mut trace = Trace {
            warps: ran * warps(size, W) as u64,
            findings,
            notes: printed.into_iter().chain(notes).chain(others).collect(),
            complete: totals.complete && (ran == all || sample.is_some()),
            ..Trace::default()
        };
        if let Some(counter) = &totals.counter {
            counter.finish(&code, &mut trace);
        }
        if sample.is_some() {
            trace.scale(all, ran);
        }
        let fuel = totals.fuel;
        let timeline = (!wanted.is_empty()).then(|| self.timeline::<W>(&sizes, totals.recorders));
        drop(totals.counter);
        let written = memory::close(buffers);
        for (tensor, words) in tensors.iter_mut().zip(written) {
            if let Some(words) = words {
                tensor.words = words;
            }
        }
        trace.seconds = started.map_or(0.0, |started| started.elapsed().as_secs_f64());
        let written = stored.map(Stored::finish).unwrap_or_default();
        Ok(Outcome { trace, timeline, heat: None, course: None, moved: Vec::new(), requests: None, written, fuel })
    }

    /// The workgroups whose events are kept, in order.
    fn wanted(&self, all: u64) -> Vec<u64> {
        let mut wanted: Vec<u64> = self.options.spec.timeline_workgroups.iter().map(|w| u64::from(*w)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        wanted.retain(|w| *w < all);
        wanted
    }

    /// Runs everything in batches of up to `most` workgroups, and says how many workgroups ran.
    fn all_batches<'s, const W: usize>(
        &self,
        scene: &'s Scene<'s>,
        all: u64,
        (wanted, sample): (&[u64], Option<&[u64]>),
        most: usize,
    ) -> (Totals<'s>, u64) {
        let counter = self.options.count.then(|| Counter::new(scene.code, W as u32));
        let mut totals = Totals {
            counter,
            findings: Findings::default(),
            recorders: Vec::new(),
            fuel: self.options.fuel,
            complete: true,
        };
        let only = self.options.spec.only_timeline_workgroups;
        let listed = if only { Some(wanted) } else { sample };
        let count = listed.map_or(all, |listed| listed.len() as u64);
        let (room, mut waiting) = (most, Vec::new());
        // Where the order matters, a batch is one task.
        let most = if self.in_order { CHUNK } else { most };
        let done = AtomicU64::new(0);
        let mut ran = 0;
        while ran < count && totals.complete {
            let end = count.min(ran + most as u64);
            let batch: Vec<u64> = match listed {
                Some(listed) => listed[ran as usize..end as usize].to_vec(),
                None => (ran..end).collect(),
            };
            let task = |part: &[u64], fuel| {
                let out = self.part::<W>(scene, part, wanted, fuel);
                let now = done.fetch_add(part.len() as u64, Ordering::Relaxed) + part.len() as u64;
                (self.progress)(now, count);
                out
            };
            let fuel = Fuel::Each(totals.fuel / batch.len() as u64);
            let chunk = (batch.len() / 256).clamp(1, CHUNK);
            let parts: Vec<Part<'s, W>> = if self.in_order {
                vec![task(&batch, Fuel::Together(totals.fuel))]
            } else if self.options.threads == Some(1) {
                batch.chunks(chunk).map(|part| task(part, fuel)).collect()
            } else {
                batch.par_chunks(chunk).map(|part| task(part, fuel)).collect()
            };
            self.gather(scene, parts, &mut totals, &mut waiting, room);
            ran = end;
        }
        self.finish_waiting(scene, &mut totals, &mut waiting);
        (totals, ran)
    }

    /// Runs some workgroups one after another.
    fn part<'s, const W: usize>(
        &self,
        scene: &'s Scene<'s>,
        workgroups: &[u64],
        wanted: &[u64],
        fuel: Fuel,
    ) -> Part<'s, W> {
        let mut part = Part {
            counter: self.options.count.then(|| Counter::new(scene.code, W as u32)),
            findings: Findings::default(),
            recorders: Vec::new(),
            waiting: Vec::new(),
            used: 0,
            cancelled: false,
        };
        let mut fetching = self.fetched.map(Fetching::new);
        let mut following = self.trail.map(Following::new);
        let mut requesting = self.requested.map(Requesting::new);
        let mut room: Option<(Workgroup<W>, Option<Checks<'s>>)> = None;
        for linear in workgroups {
            if self.cancel.load(Ordering::Relaxed) {
                part.cancelled = true;
                break;
            }
            let is_wanted = wanted.binary_search(linear).is_ok();
            let new = || (Workgroup::new(scene, self.program.shared_bytes()), None);
            let (mut workgroup, checks) = room.take().unwrap_or_else(new);
            let mut checks = if self.options.spec.races || is_wanted && self.options.spec.races_shown {
                checks.or_else(|| Some(Checks::new(again::known(scene, self.program, W as u32))))
            } else {
                None
            };
            workgroup.start(scene, *linear);
            if let Some(checks) = &mut checks {
                checks.start(*linear);
            }
            let mut recorder = is_wanted.then(|| {
                let number = u32::try_from(*linear).unwrap_or(u32::MAX);
                Recorder::new(scene.variables, number, self.options.spec.max_events)
            });
            fetching.iter_mut().for_each(|f| f.start(*linear));
            following.iter_mut().for_each(|f| f.start(*linear, &workgroup.shared));
            requesting.iter_mut().for_each(|r| r.start(*linear));
            let given = match fuel {
                Fuel::Each(share) => share,
                Fuel::Together(all) => all - part.used,
            };
            let mut left = given;
            let watchers = Watchers {
                counter: part.counter.as_mut(),
                recorder: recorder.as_mut(),
                checks: checks.as_mut(),
                fetching: fetching.as_mut(),
                following: following.as_mut(),
                requesting: requesting.as_mut(),
            };
            let how = drive(&mut workgroup, scene, watchers, &mut part.findings, &mut left);
            part.used += given - left;
            part.recorders.extend(recorder);
            match how {
                Progress::Done => room = Some((workgroup, checks)),
                Progress::OutOfFuel | Progress::Waits => {
                    let path = part.counter.as_mut().map(Counter::suspend);
                    part.waiting.push(Waiting::new(workgroup, checks, path, how));
                    if how == Progress::OutOfFuel && matches!(fuel, Fuel::Together(_)) {
                        break;
                    }
                }
                Progress::Cancelled => {
                    part.cancelled = true;
                    break;
                }
            }
        }
        part
    }

    fn timeline<const W: usize>(&self, sizes: &[u32], recorders: Vec<Recorder<'_>>) -> Timeline {
        let program = self.program;
        let buffers = program.ir.variables.iter().enumerate().map(|(i, variable)| TracedBuffer {
            name: variable.name.clone(),
            of: variable.name.clone(),
            space: variable.space,
            elem: variable.elem,
            bytes: u64::from(sizes.get(i).copied().unwrap_or(variable.bytes)),
            base: variable.base,
            // A pack says how the matrices in its buffers lie.
            columns: variable.columns.filter(|_| variable.space == Space::Shared),
        });
        let mut timeline = Timeline {
            warp_width: W as u32,
            warps_per_workgroup: u32::try_from(warps(program.workgroup_size(), W)).unwrap_or(u32::MAX),
            buffers: buffers.collect(),
            jumps: program.ir.dialect.is_ptx(),
            ..Timeline::default()
        };
        for recorder in recorders {
            recorder.finish(&mut timeline);
        }
        timeline
    }
}
