//! The record of one job: its checks, timings and traces.

use serde::{Deserialize, Serialize};

use super::{Course, Film, Finding, Heat, Moved, Timeline, Trace, Unwritten};
use warpbook_base::tensor::{Elem, Tensor};
use warpbook_base::units::Work;

/// The executor of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// The tracer: a warp-wide interpreter on the CPU.
    Simt,
    /// A graphics driver, through wgpu.
    Wgpu,
    /// NVIDIA's own driver: the kernels' twins in CUDA C++.
    Cuda,
}

impl Backend {
    /// As the command line and JSON name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Simt => "simt",
            Self::Wgpu => "wgpu",
            Self::Cuda => "cuda",
        }
    }
}

/// The device of a backend, and what it allows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// The backend it is reached through.
    pub backend: Backend,
    /// Its name, as its driver gives it.
    pub name: String,
    /// The driver's name and version; empty where there is none.
    pub driver: String,
    /// The interface below the backend, such as "Vulkan"; empty where there is none.
    pub api: String,
    /// Whether it computes in software, on the CPU.
    pub software: bool,
    /// Whether it can time its own work.
    pub timestamps: bool,
    /// Lanes that run in lockstep, at least and at most; zeros where unknown.
    pub subgroup: [u32; 2],
    /// Largest storage binding, in bytes.
    pub max_binding_bytes: u64,
    /// Largest buffer, in bytes.
    pub max_buffer_bytes: u64,
    /// Most invocations in a workgroup.
    pub max_workgroup_invocations: u32,
    /// Largest workgroup in x, y, z.
    pub max_workgroup_size: [u32; 3],
    /// Most workgroups in each dimension of a grid.
    pub max_grid: [u32; 3],
    /// Workgroup memory, in bytes.
    pub max_shared_bytes: u32,
    /// Whether it computes with 16-bit floats.
    pub f16: bool,
    /// The shapes of the cooperative matrices that WGSL can have there: its tensor cores. Empty where there are none.
    pub cooperative: Vec<MatrixShape>,
}

/// Matrices that the lanes of a subgroup multiply together: C (m × n) += A (m × k) · B (k × n).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixShape {
    /// Rows of A and C.
    pub m: u32,
    /// Columns of B and C.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
    /// The elements of A and B.
    pub factors: Elem,
    /// The elements of C.
    pub sum: Elem,
}

impl std::fmt::Display for MatrixShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { m, n, k, factors, sum } = self;
        write!(f, "{m} x {n} x {k} of {}, summed in {}", factors.name(), sum.name())
    }
}

/// The outcome of comparing an output with its reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// The buffer that was compared.
    pub output: String,
    /// The reference of the comparison: its name, or another description.
    pub reference: String,
    /// How many rounds or launches had been made; 0 at the end of the program.
    pub round: u64,
    /// The largest |out - ref| / max(|ref|, scale), see `reference::check`; infinite where an element was never written
    /// or is no number.
    pub max_rel_error: f64,
    /// Elements compared.
    pub elements: u64,
    /// Elements that there are: more where only some of a large output were compared.
    pub total: u64,
    /// Whether the error is within the tolerance.
    pub ok: bool,
    /// The first element that differs by more than the tolerance: index, got, expected.
    pub first_wrong: Option<(u64, f64, f64)>,
    /// The problem, if it is not one element with another value.
    pub told: Option<String>,
}

/// Whether samples found their buffers in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheState {
    /// The buffers rotated, so each sample had to fetch its own from memory.
    Cold,
    /// The same buffers each time.
    Warm,
}

/// Samples of one kernel's time, and what they come to. All in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The samples in the order they were taken.
    pub samples: Vec<f64>,
    /// The middle sample.
    pub median_s: f64,
    /// A tenth of the samples are faster.
    pub p10_s: f64,
    /// A tenth of the samples are slower.
    pub p90_s: f64,
    /// The median's 95% confidence interval.
    pub interval_s: [f64; 2],
    /// Which experiment this was.
    pub cache: CacheState,
    /// Launches timed together as one sample, because one alone is too short for the clock.
    pub launches_per_sample: u32,
    /// Whether the device's own clock was read; otherwise the host's, around a wait.
    pub device_clock: bool,
}

/// The device's own limits, measured in the same run. Absent figures were not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ceilings {
    /// A device-to-device copy by the driver, in bytes read plus bytes written per second.
    pub device_copy_bytes_per_s: Option<f64>,
    /// The best plain copy kernel, counted the same way.
    pub copy_bytes_per_s: Option<f64>,
    /// A chain of f32 fused multiply-adds, in FLOP/s (two for each).
    pub fma_flops_per_s: Option<f64>,
    /// Seconds from one launch of an empty kernel to the next, as the samples hold them: with CUDA at the device's own
    /// pace.
    pub launch_s: Option<f64>,
    /// The same where the host sets the pace, launching one after the other; None if it cannot be distinguished.
    pub host_launch_s: Option<f64>,
}

/// The compiler's figures of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiled {
    /// Registers of a lane.
    pub registers: u32,
    /// Workgroup memory that the kernel declares, in bytes.
    pub shared_bytes: u32,
    /// Memory of a lane beside its registers, in bytes: spilled registers, and arrays with indices known only at run
    /// time.
    pub local_bytes: u32,
    /// Most lanes that a workgroup of this kernel can have.
    pub max_threads: u32,
    /// How many of its workgroups a multiprocessor can hold.
    pub occupancy: Option<Occupancy>,
    /// The workgroups of a persistent kernel that were launched in x, y and z: no more than the device holds at a time.
    pub persistent_grid: Option<[u32; 3]>,
    /// The code in the virtual machine's language, with the source's lines as `.loc`.
    pub ptx: String,
}

/// How many workgroups of a kernel fit on a multiprocessor at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupancy {
    /// Workgroups at a time.
    pub blocks: u32,
    /// Warps at a time.
    pub warps: u32,
    /// Warps that a multiprocessor can hold at most.
    pub max_warps: u32,
    /// The resource that keeps it from holding more.
    pub limited_by: Limit,
}

/// The resource that a multiprocessor runs out of first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Places for warps: it is full, or has too few left for a whole workgroup.
    Warps,
    /// Places for workgroups.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
}

/// A library's call that does a kernel's work, timed in the same run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LibraryRun {
    /// The call, such as `cuMemcpyDtoD`, or the library.
    pub name: String,
    /// The library's version, where it has one of its own.
    pub version: Option<String>,
    /// The comparison of its output with the kernel's reference.
    pub check: Option<Check>,
    /// Its time, where its output is right.
    pub timing: Option<Timing>,
}

/// Everything that came of one job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The program's id.
    pub program: String,
    /// The backend that ran it.
    pub backend: Backend,
    /// One for each of the job's passes, in their order.
    pub passes: Vec<PassRecord>,
    /// Rounds of each repetition, summed over all its executions.
    pub rounds: Vec<(String, u64)>,
    /// The checks that the job asked for, in their order; of one that is made several times, the first that failed or
    /// else the worst.
    pub checks: Vec<Check>,
    /// The minimum cost of the whole: as the job says, or the sum of its passes.
    pub work: Work,
    /// The time of the whole, where it was measured: never of a program that failed a check.
    pub timing: Option<Timing>,
    /// The job's series by name: a figure for each round, or the one of the end.
    pub series: Vec<(String, Vec<f64>)>,
    /// One for each of the job's looks that goes into no file.
    pub looks: Vec<Tensor>,
    /// The job's film; None if it asks for none.
    pub film: Option<Film>,
    /// Outputs of which some elements were never written, from the tracer only.
    pub unwritten: Vec<Unwritten>,
    /// Warnings for a reader of the figures.
    pub warnings: Vec<Warning>,
}

/// The result of one pass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PassRecord {
    /// Its name in the program.
    pub id: String,
    /// The kernel that it launched; None for a copy or a fill.
    pub kernel: Option<String>,
    /// How often it was launched.
    pub launches: u64,
    /// The minimum cost of all its launches.
    pub work: Work,
    /// The time of all its launches in a run of the program, where that was measured.
    pub timing: Option<Timing>,
    /// How many launches were timed; if fewer than all, an even sample, scaled up.
    pub timed_launches: u64,
    /// The counts over all launches, from the tracer only.
    pub trace: Option<Trace>,
    /// The counts of each launch, for as many as [`MAX_ROUNDS`]; empty if there is one launch.
    pub rounds: Vec<RoundCounts>,
    /// Single accesses, from the tracer only.
    pub timeline: Option<Timeline>,
    /// How often elements were fetched, from the tracer only and where that was asked for.
    pub heat: Option<Heat>,
    /// Each workgroup's intervals between barriers; None unless requested, and on devices.
    pub course: Option<Course>,
    /// Bytes that all launches moved, by buffer; empty unless requested.
    pub moved: Vec<Moved>,
    /// The compiler's figures of it, if the backend reports them.
    pub compiled: Option<Compiled>,
    /// The library's call beside it, where the job named one and the backend has it.
    pub library: Option<LibraryRun>,
}

/// Launches of a pass whose counts are kept apart, at most.
pub const MAX_ROUNDS: usize = 4096;

/// The counts of one launch among several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundCounts {
    /// Workgroups.
    pub workgroups: u64,
    /// Instructions executed by a warp.
    pub warp_instructions: u64,
    /// Bytes that lanes loaded from buffers, stored there, and changed by atomics.
    pub bytes: u64,
    /// The sectors that these touched.
    pub sectors: u64,
}

impl Record {
    /// Whether its figures may be shown: a program that failed a check has none.
    #[must_use]
    pub fn trusted(&self) -> bool {
        self.checks.iter().all(|check| check.ok)
    }

    /// The check that counts where there is room for one: the first that failed, or else the one with the largest
    /// error.
    #[must_use]
    pub fn check(&self) -> Option<&Check> {
        let failed = self.checks.iter().find(|check| !check.ok);
        failed.or(self.checks.iter().max_by(|a, b| a.max_rel_error.total_cmp(&b.max_rel_error)))
    }

    /// The pass at `place`.
    #[must_use]
    pub fn pass(&self, place: usize) -> Option<&PassRecord> {
        self.passes.get(place)
    }

    /// The counts over all passes; None if nothing was traced. Lines are of one file, so those of several passes are
    /// left out.
    #[must_use]
    pub fn total(&self) -> Option<Trace> {
        let mut traces = self.passes.iter().filter_map(|pass| pass.trace.as_ref());
        let first = traces.next()?.clone();
        Some(traces.fold(first, |mut total, trace| {
            total.add(trace);
            total.lines.clear();
            total
        }))
    }

    /// The findings of all passes, each with the pass's place.
    pub fn findings(&self) -> impl Iterator<Item = (usize, &Finding)> {
        let traced = self.passes.iter().enumerate().filter_map(|(i, pass)| Some((i, pass.trace.as_ref()?)));
        traced.flat_map(|(i, trace)| trace.findings.iter().map(move |finding| (i, finding)))
    }

    /// Whether the counts cover all that was to run; also where nothing was traced.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.passes.iter().all(|pass| pass.trace.as_ref().is_none_or(|trace| trace.complete))
    }
}

/// The kinds of [`Warning`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// The driver computes on the CPU: its times say little about a GPU.
    SoftwareDevice,
    /// The device has no clock of its own: times include the launch and the wait.
    HostClock,
    /// The samples spread widely.
    Noisy,
    /// The kernel is not much longer than an empty launch.
    LaunchBound,
    /// The buffers fit in the cache, and were not rotated.
    FitsInCache,
    /// Too few samples for the precision asked for.
    FewSamples,
    /// The compiler was made to guard indices.
    BoundsChecks,
    /// The samples lie in two groups with nothing between.
    TwoClusters,
    /// Later samples are slower or faster than early ones.
    Drift,
    /// The device ran slower than it can: it was throttled, or did not wake up.
    SlowClock,
    /// The driver is known to compute wrongly here.
    BrokenDriver,
    /// A kernel was left out: it needs what this device or backend does not have.
    NotHere,
    /// The library that was to be timed beside the kernel could not be used.
    NoLibrary,
    /// The graphics driver, or its worker process, failed: something was left out or ran elsewhere for it.
    LostDevice,
    /// Several ranks have the same device, and take turns on it.
    SharedDevice,
    /// A file that a buffer begins with has elements that are no finite numbers.
    NotFinite,
    /// A series has a figure that is not a number.
    NotANumber,
}

/// Something that a reader of a figure should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Which kind.
    pub kind: WarningKind,
    /// The observation.
    pub message: String,
    /// Advice on it.
    pub hint: String,
}
