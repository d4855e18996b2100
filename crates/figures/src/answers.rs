//! Answers to questions: programs compiled and traced, bytes by level of memory, kernels under ceilings, a grid over SMs.

use std::sync::Arc;

use crate::base::diag::Diagnostic;
use crate::device::{Bound, Launch, Point, Waves};
use crate::job::Job;
use crate::lesson::Facts;
use crate::machine::{Instruction, MachineCode};
use crate::trace::record::Record;
use crate::trace::{CacheCounts, CriticalPath, Finding, Moved, PassRecord, Timeline, Trace};

/// A program with its shaders compiled.
#[derive(Debug)]
pub struct Built {
    /// The compiled job.
    pub job: Arc<Job>,
    /// Facts of each pass, from which the stage chooses its pictures.
    pub facts: Vec<Facts>,
}

/// The tracer's counts of a whole program.
#[derive(Debug)]
pub struct Traced {
    /// The job.
    pub job: Arc<Job>,
    /// The record, with the counts of each pass.
    pub record: Arc<Record>,
    /// How each pass is launched.
    pub launches: Vec<Option<Launch>>,
    /// The check that a learner's kernel failed. It is shown all the same.
    pub wrong: Option<Diagnostic>,
}

impl Traced {
    /// The record of a pass.
    #[must_use]
    pub fn pass(&self, place: usize) -> Option<&PassRecord> {
        self.record.pass(place)
    }

    /// The counts of a pass over all its launches.
    #[must_use]
    pub fn trace(&self, place: usize) -> Option<&Trace> {
        self.pass(place)?.trace.as_ref()
    }

    /// How a pass is launched.
    #[must_use]
    pub fn launch(&self, place: usize) -> Option<&Launch> {
        self.launches.get(place)?.as_ref()
    }
}

/// A kernel in CUDA C++ below its source.
#[derive(Debug)]
pub struct Machine {
    /// Its PTX.
    pub ptx: Arc<str>,
    /// The registers and spills of its machine code, and its instructions; or the reason if there are none.
    pub code: Result<(MachineCode, Vec<Instruction>), Diagnostic>,
}

/// Single accesses of a workgroup.
#[derive(Debug, Default)]
pub struct Accesses {
    /// The accesses.
    pub timeline: Arc<Timeline>,
    /// Findings in the workgroup, including races, which a trace of the whole grid does not check.
    pub findings: Vec<Finding>,
}

/// A text of a figure's argument, with the values of its live elements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filled {
    /// The text.
    pub text: String,
    /// Its value, if it is a single live element and nothing else; None if that has none.
    pub value: Option<f64>,
    /// The sources of quoted figures, with the figures.
    pub from: Vec<String>,
}

/// The bytes that a device counted at its DRAM.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    /// Bytes read.
    pub read: f64,
    /// Bytes written, as far as they did not stay in a cache.
    pub written: f64,
    /// The device and the day.
    pub whence: String,
}

/// The maximum that a device's DRAM can have moved in the time of a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// Bytes: the time times the published bandwidth.
    pub bytes: f64,
    /// Whose time it is.
    pub whence: String,
}

/// The bytes of a launch, over the whole grid and all its launches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct River {
    /// Bytes that lanes asked to load: 4 bytes count as 4.
    pub loaded: u64,
    /// Bytes that lanes asked to store, atomics included.
    pub stored: u64,
    /// The sectors that loads touched, in bytes, request by request: before any cache.
    pub load_sectors: u64,
    /// The same for stores and atomics.
    pub store_sectors: u64,
    /// Bytes that passed the banks of workgroup memory for loads: wavefronts of 128 bytes.
    pub shared_loads: u64,
    /// The same for stores and atomics.
    pub shared_stores: u64,
    /// The minimum that the work needs, however it is done; 0 if it was not counted.
    pub least: f64,
    /// The levels that serve it, by the tracer's caches; None if they are not counted.
    pub caches: Option<CacheCounts>,
    /// A device's counts of the same launch; None if there are none.
    pub counted: Option<Counted>,
    /// The maximum that the DRAM can have moved in the time of the same launch; None if its time is not known.
    pub reach: Option<Reach>,
}

/// The kernels of a ladder under the ceilings of devices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Roofline {
    /// The devices' ceilings; the first is the one that kernels without a time are held against.
    pub roofs: Vec<Roof>,
    /// The kernels, in the ladder's order; several of one kernel where several devices ran it.
    pub spots: Vec<Spot>,
    /// A remark on the settings.
    pub note: String,
}

/// A device's ceilings.
#[derive(Clone, Debug, PartialEq)]
pub struct Roof {
    /// The device's name, and where the figures are from.
    pub name: String,
    /// Bytes that it moves in a second.
    pub bytes_per_s: Option<f64>,
    /// 32-bit operations that it does in a second, two for a fused multiply-add, without matrix units.
    pub flops_per_s: Option<f64>,
    /// The same for matrix units on 16-bit factors; None if no kernel of the ladder has such.
    pub matrix_flops_per_s: Option<f64>,
    /// Whether they were measured here; others are drawn in dashes.
    pub measured: bool,
}

/// The bytes of a kernel in a roofline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpotBytes {
    /// Those that a device counted at its DRAM.
    Counted,
    /// Bytes from and to DRAM, by the tracer's caches.
    Cached,
    /// Those of its traced sectors, before any cache.
    Traced,
    /// Those that its work needs.
    Needed,
}

impl SpotBytes {
    /// The bytes in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Counted => "bytes that DRAM's counter read",
            Self::Cached => "traced bytes, past the caches",
            Self::Traced => "traced bytes, before caches",
            Self::Needed => "bytes that the work needs",
        }
    }
}

/// The source of a time in a roofline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpotTime {
    /// Measured by this machine.
    Measured,
    /// Recorded elsewhere.
    Recorded,
    /// Predicted by a device's model.
    Predicted,
}

impl SpotTime {
    /// The name of its marks.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Measured => "measured here",
            Self::Recorded => "recorded",
            Self::Predicted => "predicted",
        }
    }
}

/// A kernel's place, or a pass's.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// The id of the kernel or pass.
    pub id: String,
    /// Its name in the picture.
    pub name: String,
    /// Operations a byte.
    pub intensity: f64,
    /// The bytes by which the operations are divided.
    pub bytes: SpotBytes,
    /// Operations a second; none before somebody measured it.
    pub flops_per_s: Option<f64>,
    /// The source of the time.
    pub time: SpotTime,
    /// Whether it is the kernel on the bench.
    pub shown: bool,
    /// Whose time it is, and at which settings.
    pub whence: String,
}

/// The work of a warp, and its waits for memory on a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Waits {
    /// The device's short name.
    pub device: String,
    /// The critical path of the launch.
    pub path: CriticalPath,
    /// The waits, by what is waited for; each kind at least once.
    pub kinds: Vec<Wait>,
}

/// The waits of a warp for one level of the memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wait {
    /// The level.
    pub level: Level,
    /// The number of waits.
    pub count: u64,
    /// Cycles from a load until its value can be used.
    pub cycles: f64,
}

/// A level of the memory that a warp waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Dram,
    L2,
    L1,
    /// Workgroup memory.
    Shared,
}

impl Level {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dram => "DRAM",
            Self::L2 => "L2",
            Self::L1 => "L1",
            Self::Shared => "workgroup memory",
        }
    }
}

/// The predicted time of a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeParts {
    /// The device's short name.
    pub device: String,
    /// The time and its parts.
    pub predicted: Point,
    /// The time that was recorded on that device at the same settings, in seconds, and where; None if there is none.
    pub recorded: Option<(f64, String)>,
}

/// The launches of a round of a program, one after another, with their predicted times.
#[derive(Clone, Debug, PartialEq)]
pub struct Launches {
    /// The device's short name.
    pub device: String,
    /// The launches, in their order.
    pub launches: Vec<LaunchTime>,
    /// Seconds from one launch to the next if the host launches them one by one; None if that is not known.
    pub hosted_s: Option<f64>,
}

/// The predicted time of a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchTime {
    /// The pass's title.
    pub pass: Arc<str>,
    /// The title of its kernel, or of the copy or fill.
    pub kernel: Arc<str>,
    /// Seconds in which no thread runs: from the launch before to the first instruction, and from the last to the end.
    pub gap_s: f64,
    /// Seconds in which threads run.
    pub busy_s: f64,
    /// The resource that bounds these.
    pub bound: Option<Bound>,
}

/// How a grid spreads over a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// The device's name.
    pub device: String,
    /// Whether it is the one that measures; otherwise a model.
    pub this_machine: bool,
    /// The resource that limits how many workgroups an SM holds.
    pub limited_by: &'static str,
    /// Whether the kernel's registers were counted among the limits.
    pub registers: bool,
    /// The lanes that an SM holds at once and the most that it can hold; None if unknown.
    pub lanes: Option<[u32; 2]>,
    /// The number of tiles, if the workgroups stay and take one after another.
    pub tiles: Option<u64>,
    /// The grid's workgroups, the SMs, and what one holds at once.
    pub waves: Waves,
    /// The predicted time of the launch without its start, in seconds; None if it is not predicted.
    pub busy_s: Option<f64>,
}

impl Spread {
    /// The predicted time of a wave in seconds: all take equally long, also one that is not full. None if it is not predicted.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a count of waves")]
    pub fn wave_s(&self) -> Option<f64> {
        self.busy_s.filter(|_| self.tiles.is_none()).map(|busy_s| busy_s / self.ticks().max(1) as f64)
    }

    /// The predicted begin and end of a wave, from 0, in seconds after the launch.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a count of waves")]
    pub fn wave_at(&self, wave: u64) -> Option<[f64; 2]> {
        let each = self.wave_s()?;
        Some([wave, wave + 1].map(|waves| waves as f64 * each))
    }

    /// Waves, the last of them perhaps partial; of workgroups that stay, the tiles that the busiest of them takes.
    #[must_use]
    pub fn ticks(&self) -> u64 {
        let w = &self.waves;
        self.tiles.map_or(w.full + u64::from(w.tail_blocks > 0), |tiles| tiles.div_ceil(w.blocks.max(1)).max(1))
    }

    /// The tick at which a picture begins: at a share of them, or the last one, which may leave slots empty; with workgroups that stay, the
    /// first one.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share of the waves")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the waves")]
    pub fn opening(&self, share: Option<f64>) -> usize {
        let last = self.ticks().saturating_sub(1);
        let tick = share.map_or(if self.tiles.is_some() { 0 } else { last }, |share| {
            ((self.ticks() as f64 * share) as u64).min(last)
        });
        usize::try_from(tick).unwrap_or(usize::MAX)
    }
}

/// The bytes that a program's buffers moved.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metered {
    /// The program's title.
    pub title: String,
    /// Its passes, in order.
    pub passes: Vec<MeteredPass>,
}

/// The bytes that a pass moved.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeteredPass {
    /// Its title.
    pub title: String,
    /// How often it was launched.
    pub launches: u64,
    /// By buffer, over all launches.
    pub moved: Vec<Moved>,
}

/// The ring buffer of tiles in shared memory at a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ring {
    /// The number of places.
    pub places: u32,
    /// The number of tiles that go through it, if it is known.
    pub tiles: Option<u32>,
    /// The threads that load, and how.
    pub load: String,
    /// The threads that multiply, and how.
    pub multiply: String,
}
