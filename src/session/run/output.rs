//! Results of `run` and `sweep`, in the shape that the command line prints as JSON.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::ladder::Comparison;
use super::model::Predicted;
pub use super::program_output::{PassOutput, ProgramCheck, ProgramOutput};
use crate::base::diag::Diagnostic;
use crate::base::units::{Work, count};
use crate::measure::roofline::Placement;
use crate::trace::record::{Backend, CacheState, Compiled, LibraryRun, Limit, Occupancy, Timing, Warning};
use crate::trace::{Check, Record, Trace};

/// The outcome of running a lesson's kernels.
#[derive(Clone, Debug, Serialize)]
pub struct RunOutput {
    /// The lesson's id.
    pub lesson: String,
    /// The backend that ran the kernels.
    pub backend: Backend,
    /// The device's name.
    pub device: String,
    /// Seed of the random inputs.
    pub seed: u64,
    /// Lanes in a traced warp; null if nothing was traced. A measuring device has its own.
    pub warp_width: Option<u32>,
    /// The parameters.
    #[serde(serialize_with = "plain")]
    pub params: BTreeMap<String, f64>,
    /// The lesson's values; null if one needs a figure that was not measured.
    pub values: BTreeMap<String, Option<f64>>,
    /// One for each kernel that has buffers of its own, in the lesson's order.
    pub kernels: Vec<KernelOutput>,
    /// One for each program of several passes.
    pub programs: Vec<ProgramOutput>,
    /// Each rung of a ladder against the one before it, if both were timed.
    pub ladder: Vec<Comparison>,
    /// Warnings for readers of the figures.
    pub warnings: Vec<Warning>,
    /// The ranks that ran together, if there were several processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<RanksOutput>,
    /// Whether something impossible was requested: on this backend or device, or with this input.
    #[serde(skip)]
    pub misused: bool,
}

/// Processes that ran a program together, one for each rank.
#[derive(Clone, Debug, Serialize)]
pub struct RanksOutput {
    /// How many.
    pub number: usize,
    /// The transport over which they exchanged numbers.
    pub over: &'static str,
}

impl RunOutput {
    /// Whether nothing that ran failed.
    #[must_use]
    pub fn ok(&self) -> bool {
        let all = self.kernels.iter().map(|kernel| kernel.ok).chain(self.programs.iter().map(|program| program.ok));
        all.into_iter().all(|ok| ok != Some(false))
    }
}

/// One kernel's part; also a program's or a pass's if it is a point of a curve.
#[derive(Clone, Debug, Default, Serialize)]
pub struct KernelOutput {
    pub id: String,
    /// Whether it ran, passed its check and had no findings; null if it was skipped.
    pub ok: Option<bool>,
    /// Why it was skipped: its lesson's requirements are not met by the parameters, or this backend cannot run it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    pub check: Option<CheckOutput>,
    /// The time, if measured.
    pub time: Option<TimeOutput>,
    /// Bytes that the work needs to move.
    pub bytes: f64,
    /// Floating-point operations that the work needs.
    pub flops: f64,
    /// `bytes` over the median time.
    pub bytes_per_s: Option<f64>,
    /// `flops` over the median time.
    pub flops_per_s: Option<f64>,
    /// Its roofline placement under the device's ceilings.
    pub roofline: Option<Placement>,
    /// The device model's prediction.
    pub predicted: Option<Predicted>,
    /// The tracer's counts.
    pub trace: Option<Trace>,
    /// Figures of the compiled code, if the backend reports them.
    pub compiled: Option<CompiledOutput>,
    /// The library's call that does the same work, if there is one.
    pub library: Option<LibraryOutput>,
    /// The error if it could not run.
    pub error: Option<String>,
    /// Requested contents of buffers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub printed: Vec<Printed>,
}

/// A part of a buffer's content.
#[derive(Clone, Debug, Serialize)]
pub struct Printed {
    pub buffer: String,
    /// The first element.
    pub from: u64,
    /// The elements; null for those that are not finite.
    pub values: Vec<f64>,
}

/// Figures of a compiled kernel, per lane unless noted.
#[derive(Clone, Debug, Serialize)]
pub struct CompiledOutput {
    pub registers: u32,
    /// Shared memory of a workgroup, in bytes.
    pub shared_bytes: u32,
    /// Spilled registers and arrays outside the registers, in bytes.
    pub local_bytes: u32,
    /// Most lanes that a workgroup can have.
    pub max_threads: u32,
    /// How many workgroups a multiprocessor can hold, and the limiting resource.
    pub occupancy: Option<Occupancy>,
    /// Workgroups launched for a persistent kernel, in x, y and z; null for others, whose grid is the lesson's.
    pub persistent_grid: Option<[u32; 3]>,
    /// The PTX code; not in JSON.
    #[serde(skip)]
    pub ptx: String,
}

/// A library's call, timed in the same run as the kernel whose work it does.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LibraryOutput {
    /// The call's or the library's name.
    pub name: String,
    /// The library's version, if it has one of its own.
    pub version: Option<String>,
    /// Whether its output is right.
    pub ok: bool,
    /// The comparison of its output with the kernel's reference.
    pub check: Option<CheckOutput>,
    pub time: Option<TimeOutput>,
    /// The kernel's `bytes` over the median time.
    pub bytes_per_s: Option<f64>,
    /// The kernel's `flops` over the median time.
    pub flops_per_s: Option<f64>,
}

impl From<&Compiled> for CompiledOutput {
    fn from(compiled: &Compiled) -> Self {
        Self {
            registers: compiled.registers,
            shared_bytes: compiled.shared_bytes,
            local_bytes: compiled.local_bytes,
            max_threads: compiled.max_threads,
            occupancy: compiled.occupancy,
            persistent_grid: compiled.persistent_grid,
            ptx: compiled.ptx.clone(),
        }
    }
}

impl CompiledOutput {
    /// In words: "24 registers, 48 of 64 warps on a multiprocessor (limited by registers)".
    #[must_use]
    pub fn words(&self) -> String {
        let mut words = format!("{} registers", self.registers);
        if self.shared_bytes > 0 {
            words.push_str(&format!(", {} bytes of shared memory", count(self.shared_bytes.into())));
        }
        if self.local_bytes > 0 {
            words.push_str(&format!(
                ", {} bytes spilled or indexed outside the registers",
                count(self.local_bytes.into())
            ));
        }
        if let Some([x, y, z]) = self.persistent_grid {
            words.push_str(&format!(", {x} x {y} x {z} persistent workgroups"));
        }
        if let Some(Occupancy { warps, max_warps, limited_by, .. }) = self.occupancy {
            words.push_str(&format!(", {warps} of {max_warps} warps on a multiprocessor"));
            let short_of = match limited_by {
                Limit::Warps if warps == max_warps => return words,
                Limit::Warps => "the workgroup's size",
                Limit::Blocks => "the number of workgroups",
                Limit::Registers => "registers",
                Limit::SharedMemory => "shared memory",
            };
            words.push_str(&format!(" (limited by {short_of})"));
        }
        words
    }
}

impl LibraryOutput {
    /// Its name and version: "cuBLAS f32 13.0.2".
    #[must_use]
    pub fn full_name(&self) -> String {
        let version = self.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        format!("{}{version}", self.name)
    }

    /// The same, marked as a library: "cuBLAS f32 13.0.2 (library)".
    #[must_use]
    pub fn words(&self) -> String {
        format!("{} (library)", self.full_name())
    }

    /// The outcome of a library's run; `work` is the kernel's needed work.
    #[must_use]
    pub fn of(run: &LibraryRun, work: Work) -> Self {
        let check: Option<CheckOutput> = run.check.as_ref().map(Into::into);
        let ok = run.check.as_ref().is_none_or(|c| c.ok);
        let timed = run.timing.as_ref().map(|timing| Self::timed(&run.name, work, timing.into()));
        Self { name: run.name.clone(), version: run.version.clone(), ok, check, ..timed.unwrap_or_default() }
    }

    /// A call whose output was right, at its time.
    #[must_use]
    pub fn timed(name: &str, work: Work, time: TimeOutput) -> Self {
        let rate = work.per_second(time.median_s);
        let (bytes_per_s, flops_per_s) = (Some(rate.bytes), Some(rate.flops));
        Self { name: name.to_owned(), ok: true, time: Some(time), bytes_per_s, flops_per_s, ..Self::default() }
    }
}

/// A check, without the details that only an error message needs.
#[derive(Clone, Debug, Serialize)]
pub struct CheckOutput {
    /// The reference's name.
    pub reference: String,
    /// The largest relative error; null means infinity: an element was not written or is not a number.
    pub max_rel_error: f64,
    /// Elements compared.
    pub elements: u64,
    /// Elements in all: more than `elements` if only some of a large output were compared.
    pub total: u64,
}

/// A time with its spread, in seconds.
#[derive(Clone, Debug, Serialize)]
pub struct TimeOutput {
    pub median_s: f64,
    /// The tenth percentile.
    pub p10_s: f64,
    /// The ninetieth percentile.
    pub p90_s: f64,
    /// How many samples.
    pub samples: usize,
    /// The samples themselves, in seconds and in the order they were taken; in CSV files, not in JSON.
    #[serde(skip)]
    pub each_s: Vec<f64>,
    pub cache: CacheState,
}

impl From<&Timing> for TimeOutput {
    fn from(timing: &Timing) -> Self {
        Self {
            median_s: timing.median_s,
            p10_s: timing.p10_s,
            p90_s: timing.p90_s,
            samples: timing.samples.len(),
            each_s: timing.samples.clone(),
            cache: timing.cache,
        }
    }
}

impl From<&Check> for CheckOutput {
    fn from(check: &Check) -> Self {
        Self {
            reference: check.reference.clone(),
            max_rel_error: check.max_rel_error,
            elements: check.elements,
            total: check.total,
        }
    }
}

impl KernelOutput {
    /// The outcome of a program, or of one of its passes if `place` names one.
    #[must_use]
    pub fn of(id: &str, record: &Record, place: Option<usize>) -> Self {
        let pass = place.and_then(|place| record.pass(place));
        let only = record.passes.first().filter(|_| record.passes.len() == 1);
        let (work, timing) = pass.map_or((record.work, &record.timing), |pass| (pass.work, &pass.timing));
        let trace = pass.map_or_else(|| record.total(), |pass| pass.trace.clone());
        let clean = trace.as_ref().is_none_or(|t| t.findings.is_empty() && t.complete);
        let Work { bytes, flops } = work;
        let rate = timing.as_ref().map(|t| work.per_second(t.median_s));
        let of_kernel = pass.or(only);
        Self {
            id: id.to_owned(),
            ok: Some(record.trusted() && clean),
            check: record.check().map(Into::into),
            time: timing.as_ref().map(Into::into),
            bytes,
            flops,
            bytes_per_s: rate.map(|rate| rate.bytes),
            flops_per_s: rate.map(|rate| rate.flops),
            trace,
            compiled: of_kernel.and_then(|pass| pass.compiled.as_ref()).map(Into::into),
            library: of_kernel.and_then(|pass| pass.library.as_ref()).map(|run| LibraryOutput::of(run, work)),
            ..Self::default()
        }
    }

    /// The preliminary outcome of a kernel that is still being measured.
    #[must_use]
    pub fn sampled(id: &str, work: Work, median_s: f64) -> Self {
        let rate = work.per_second(median_s);
        let (bytes_per_s, flops_per_s) = (Some(rate.bytes), Some(rate.flops));
        let Work { bytes, flops } = work;
        Self { id: id.to_owned(), ok: Some(true), bytes, flops, bytes_per_s, flops_per_s, ..Self::default() }
    }

    /// The outcome of a kernel that could not run, or was skipped.
    #[must_use]
    pub fn failed(id: &str, problems: &[Diagnostic], skipped: bool) -> Self {
        let (ok, skipped, error) = why(problems, skipped);
        Self { id: id.to_owned(), ok, skipped, error, ..Self::default() }
    }

    /// How it went, in a word or two.
    #[must_use]
    pub fn outcome(&self) -> &'static str {
        outcome(self.ok, self.check.is_some())
    }

    /// Whether it ran and nothing was wrong.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.ok == Some(true)
    }
}

/// `ok`, `skipped` and `error` of a kernel or program that did not run.
pub(super) fn why(problems: &[Diagnostic], skipped: bool) -> (Option<bool>, Option<String>, Option<String>) {
    let lines = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    let first = problems.first().map(|problem| [Some(problem.message.as_str()), problem.hint.as_deref()]);
    let reason = first.map(|words| words.into_iter().flatten().collect::<Vec<_>>().join("; "));
    if skipped { (None, reason, None) } else { (Some(false), None, Some(lines)) }
}

/// How something went, in a word or two; `is_checked` says whether its result was compared with anything.
pub(super) fn outcome(ok: Option<bool>, is_checked: bool) -> &'static str {
    match ok {
        Some(true) if is_checked => "ok",
        Some(true) => "not checked",
        Some(false) => "FAILED",
        None => "skipped",
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct SweepPoint {
    /// The value of the swept parameter.
    pub x: f64,
    /// The outcome of the curve's program there.
    #[serde(flatten)]
    pub kernel: KernelOutput,
    /// The lesson's value, if one is plotted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The time on the modelled device, in seconds, where the tracer ran it and a measured quantity is plotted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicted_s: Option<f64>,
    /// Warnings for readers of the figures.
    pub warnings: Vec<Warning>,
}

/// A sweep of one parameter.
#[derive(Clone, Debug, Serialize)]
pub struct SweepOutput {
    /// The lesson's id.
    pub lesson: String,
    /// The backend that ran the kernels.
    pub backend: Backend,
    /// The device's name.
    pub device: String,
    /// Seed of the random inputs.
    pub seed: u64,
    /// Lanes in a traced warp; null if nothing was traced. A measuring device has its own.
    pub warp_width: Option<u32>,
    /// The fixed parameters.
    #[serde(serialize_with = "plain")]
    pub params: BTreeMap<String, f64>,
    /// The swept parameter.
    pub over: String,
    /// Its points, by value and then by kernel or program.
    pub points: Vec<SweepPoint>,
    /// Which kernels were left out, and why.
    pub warnings: Vec<Warning>,
}

/// Whole numbers without a fraction: parameters are counts.
fn plain<S: Serializer>(params: &BTreeMap<String, f64>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(params.iter().map(|(id, &value)| {
        #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and below 2^53")]
        let number = if value.fract() == 0.0 && value.abs() < 9e15 {
            serde_json::Number::from(value as i64)
        } else {
            serde_json::Number::from_f64(value).unwrap_or_else(|| 0.into())
        };
        (id, number)
    }))
}
