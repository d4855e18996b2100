//! The benchmark: a device's ceilings, its kernels' fractions of them, and the tracer's speed.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use serde::Serialize;

use crate::base::diag::Diagnostic;
use crate::gpu::limits;
use crate::job::BufferSpec;
use crate::lesson::{Lesson, Pack, Program, Variant};
use crate::measure::roofline::{self, Placement};
use crate::session::jobs::{self, Params, Purpose};
use crate::session::run::devices::Devices;
use crate::session::run::output::{LibraryOutput, TimeOutput};
use crate::session::run::{self, Runner};
use crate::trace::record::{Backend, Ceilings, Device, Warning};

/// Upper bound, in bytes, of a kernel's buffers at its large size: far beyond any cache, and enough for two arrays of
/// 256 MiB and more; the host holds them, too.
const MOST_BYTES: u64 = 2 << 30;

/// How many values of a parameter are tried, from the largest down.
const TRIED: usize = 64;

/// The bench's results, in the shape that the command line prints as JSON. All in SI base units: seconds, bytes, FLOP.
#[derive(Clone, Debug, Default, Serialize)]
pub struct BenchOutput {
    /// The program's version.
    pub version: &'static str,
    /// One for each backend that has a device.
    pub devices: Vec<DeviceBench>,
    /// Backends without a device, and why.
    pub missing: Vec<Missing>,
    /// The tracer's speed, one row a kernel.
    pub tracer: Vec<Traced>,
}

/// One device's part.
#[derive(Clone, Debug, Serialize)]
pub struct DeviceBench {
    pub device: Device,
    pub ceilings: Ceilings,
    /// Each kernel at its lesson's defaults and, if it has one, at a large size.
    pub kernels: Vec<Rung>,
}

/// A backend without a device.
#[derive(Clone, Debug, Serialize)]
pub struct Missing {
    pub backend: Backend,
    /// The message: what was looked for and not found.
    pub message: String,
    /// How to get it.
    pub hint: Option<String>,
}

/// At which parameters a kernel ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Size {
    /// The lesson's defaults.
    Default,
    /// The largest buffers that the lesson's parameters and the device allow.
    Large,
    /// A size that the lesson asks for.
    Asked,
}

/// One kernel at one size.
#[derive(Clone, Debug, Serialize)]
pub struct Rung {
    /// The lesson's id.
    pub lesson: String,
    /// The kernel's or program's id.
    pub kernel: String,
    /// The ladder that it is a rung of; empty if it is in none.
    pub ladder: String,
    pub size: Size,
    /// The parameters.
    pub params: BTreeMap<String, f64>,
    /// Those of them that are not at their defaults.
    pub set: BTreeMap<String, f64>,
    pub largest_buffer_bytes: u64,
    /// Whether it ran and passed its check.
    pub ok: bool,
    /// Its time; null if it failed.
    pub time: Option<TimeOutput>,
    /// Bytes that the work needs to move, over the median time.
    pub bytes_per_s: Option<f64>,
    /// Floating-point operations that the work needs, over the median time.
    pub flops_per_s: Option<f64>,
    /// Its roofline placement under the device's ceilings; `fraction` is of the lower one.
    pub roofline: Option<Placement>,
    /// The library's call that does the same work, timed in the same run.
    pub library: Option<LibraryOutput>,
    /// The library's median over the kernel's: above 1 the kernel is faster.
    pub of_library: Option<f64>,
    /// Warnings for readers of the figures.
    pub warnings: Vec<Warning>,
    /// Why there is no time.
    pub error: Option<String>,
}

/// A kernel traced at its lesson's defaults, whole grid, sectors and banks counted.
#[derive(Clone, Debug, Serialize)]
pub struct Traced {
    /// The lesson's id.
    pub lesson: String,
    /// The kernel's or program's id.
    pub kernel: String,
    /// Whether it ran to its end.
    pub ok: bool,
    /// Instructions that lanes executed.
    pub lane_ops: u64,
    /// Seconds that it took.
    pub seconds: f64,
    /// Instructions that lanes executed, a second.
    pub lane_ops_per_s: f64,
}

impl BenchOutput {
    /// Whether every kernel ran and passed its check.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.devices.iter().flat_map(|d| &d.kernels).all(|k| k.ok) && self.tracer.iter().all(|t| t.ok)
    }
}

/// Runs the bench on those of the named backends that have a device, and on the `tracer` if requested; `say` gets a
/// line for each part that begins.
pub fn bench(
    devices: &Devices,
    pack: &Pack,
    backends: &[Backend],
    tracer: bool,
    cancel: &AtomicBool,
    say: &mut dyn FnMut(&str),
) -> (BenchOutput, Vec<Diagnostic>) {
    let mut problems = Vec::new();
    let mut output = BenchOutput { version: crate::session::VERSION, ..BenchOutput::default() };
    for &backend in backends {
        let found = devices.describe(backend).and_then(|device| {
            say(&format!("{}: measuring {}", backend.name(), device.name));
            Ok((device, devices.ceilings(backend, cancel)?))
        });
        match found {
            Ok((device, ceilings)) => {
                let mut bench = DeviceBench { device, ceilings, kernels: Vec::new() };
                each_program(pack, |lesson, program| {
                    say(&format!("{}: {}/{}", backend.name(), lesson.id, program.id));
                    let purpose = run::purpose(backend, 1, false);
                    let runner = Runner { devices, backend, lesson, purpose: &purpose, cancel };
                    bench.kernels.extend(rungs(&runner, program, &bench.device, &ceilings, &mut problems));
                });
                output.devices.push(bench);
            }
            Err(why) => output.missing.push(Missing { backend, message: why.message, hint: why.hint }),
        }
    }
    if tracer {
        each_program(pack, |lesson, program| {
            say(&format!("simt: {}/{}", lesson.id, program.id));
            let purpose = Purpose { check: false, ..run::purpose(Backend::Simt, 1, true) };
            let runner = Runner { devices, backend: Backend::Simt, lesson, purpose: &purpose, cancel };
            output.tracer.extend(traced(&runner, program, &mut problems));
        });
    }
    (output, problems)
}

fn each_program(pack: &Pack, mut of: impl FnMut(&Lesson, &Program)) {
    for lesson in &pack.lessons {
        lesson.programs.iter().for_each(|program| of(lesson, program));
    }
}

fn rungs(
    runner: &Runner<'_>,
    program: &Program,
    device: &Device,
    ceilings: &Ceilings,
    problems: &mut Vec<Diagnostic>,
) -> Vec<Rung> {
    let defaults = jobs::defaults(runner.lesson);
    let asked = runner.lesson.bench.iter().filter(|size| !device.software && size.is_for(program));
    let mut sizes: Vec<(Size, Params)> = asked.map(|s| (Size::Asked, jobs::with(&defaults, &s.set))).collect();
    if runner.lesson.bench.is_empty() {
        let large = large(runner.lesson, program, &defaults, runner.purpose, device);
        sizes.extend(large.map(|params| (Size::Large, params)));
    }
    sizes.insert(0, (Size::Default, defaults.clone()));
    sizes
        .into_iter()
        .filter_map(|(size, params)| {
            let variant = Variant::plain(&program.id);
            let (found, done, mut wrong) = runner.output((&program.id, &variant, None), &params);
            if run::is_not_here(&wrong) {
                return None;
            }
            problems.append(&mut wrong);
            let ok = found.is_ok();
            let time = found.time.filter(|_| ok);
            let placed = time.as_ref().and_then(|t| roofline::place(found.bytes, found.flops, t.median_s, ceilings));
            let theirs = found.library.as_ref().filter(|l| l.ok).and_then(|l| l.time.as_ref());
            let of_library = theirs.zip(time.as_ref()).map(|(theirs, ours)| theirs.median_s / ours.median_s);
            let buffers = jobs::sketch(runner.lesson, &variant, &params).map(|job| job.buffers).unwrap_or_default();
            let kernel = runner.lesson.kernel(&program.id);
            Some(Rung {
                lesson: runner.lesson.id.clone(),
                kernel: program.id.clone(),
                ladder: kernel.map(|kernel| kernel.ladder.clone()).unwrap_or_default(),
                size,
                set: params
                    .iter()
                    .filter(|(id, v)| defaults.get(*id) != Some(*v))
                    .map(|(id, v)| (id.clone(), *v))
                    .collect(),
                params,
                largest_buffer_bytes: buffers.iter().map(BufferSpec::bytes).max().unwrap_or(0),
                ok,
                bytes_per_s: found.bytes_per_s.filter(|_| ok),
                flops_per_s: found.flops_per_s.filter(|_| ok),
                time,
                roofline: placed,
                library: found.library,
                of_library,
                warnings: done.map(|d| d.record.warnings).unwrap_or_default(),
                error: found.error,
            })
        })
        .collect()
}

/// The defaults with one parameter raised, as far as the device allows: the one that makes the kernel's buffers
/// largest. None if no parameter enlarges them, and on a software device: large sizes take long there and say nothing
/// about a GPU.
fn large(lesson: &Lesson, program: &Program, base: &Params, purpose: &Purpose, device: &Device) -> Option<Params> {
    if device.software {
        return None;
    }
    let variant = Variant::plain(&program.id);
    let total = |params: &Params| Some(jobs::sketch(lesson, &variant, params)?.footprint());
    let mut best = (total(base)?, None);
    let sizing = program.buffers.iter().flat_map(|buffer| lesson.blame(&buffer.count));
    let mut sizing: Vec<String> = sizing.collect();
    sizing.sort();
    sizing.dedup();
    for param in sizing.iter().filter_map(|id| lesson.param(id)) {
        let last = param.domain.len().saturating_sub(1);
        let tried = (0..TRIED).filter_map(|i| param.domain.nth(last - last * i / (TRIED - 1)));
        let fitting = tried
            .map(|value| jobs::with(base, &[(param.id.clone(), value)]))
            .filter_map(|params| Some((total(&params)?, params)))
            .filter(|(bytes, _)| *bytes <= MOST_BYTES && *bytes > best.0)
            .find(|(_, params)| {
                jobs::build(lesson, &variant, params, purpose).is_ok_and(|job| limits::check(&job, device).is_empty())
            });
        if let Some((bytes, params)) = fitting {
            best = (bytes, Some(params));
        }
    }
    best.1
}

/// A program's row in the tracer's table; None if the tracer cannot run it.
fn traced(runner: &Runner<'_>, program: &Program, problems: &mut Vec<Diagnostic>) -> Option<Traced> {
    let variant = Variant::plain(&program.id);
    let (found, _, mut wrong) = runner.output((&program.id, &variant, None), &jobs::defaults(runner.lesson));
    if run::is_not_here(&wrong) {
        return None;
    }
    problems.append(&mut wrong);
    let (lane_ops, seconds) = found.trace.as_ref().map_or((0, 0.0), |t| (t.lane_ops, t.seconds));
    #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
    let lane_ops_per_s = if seconds > 0.0 { lane_ops as f64 / seconds } else { 0.0 };
    let lesson = runner.lesson.id.clone();
    Some(Traced { lesson, kernel: program.id.clone(), ok: found.is_ok(), lane_ops, seconds, lane_ops_per_s })
}
