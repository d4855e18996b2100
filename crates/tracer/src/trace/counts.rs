//! Counts over a grid, in the units of NVIDIA's hardware counters. Their JSON is the CLI's `TRACE`.

use serde::{Deserialize, Serialize};

use warpbook_base::diag::{Diagnostic, Place};
use warpbook_base::parts;

/// The counts and findings of a whole grid. The same program and inputs give the same counts on any machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// Warps launched.
    pub warps: u64,
    /// Operations, one for each active lane of each executed instruction.
    pub lane_ops: u64,
    /// Instructions, one for each warp that executed it.
    pub warp_instructions: u64,
    /// Storage buffers.
    pub global: GlobalCounts,
    /// Uniform buffers.
    #[serde(default)]
    pub uniform: UniformCounts,
    /// Workgroup memory.
    pub shared: SharedCounts,
    /// The critical path.
    #[serde(default)]
    pub critical: CriticalPath,
    /// Conditional control flow.
    pub branches: BranchCounts,
    /// Workgroup barriers, one for each warp that passed it.
    pub barriers: u64,
    /// Products of cooperative matrices, one for each warp that made it.
    #[serde(default)]
    pub matrix_products: u64,
    /// Counts by source line, in line order; lines that did nothing are left out.
    pub lines: Vec<LineCounts>,
    /// Problems found on the way.
    pub findings: Vec<Finding>,
    /// Remarks on lines that are not wrong.
    #[serde(default)]
    pub notes: Vec<Note>,
    /// Whether the counts cover the whole grid: false after a cancel, or when the fuel ran out.
    pub complete: bool,
    /// Time the trace took, in seconds; 0 in a page, which has no clock. The one field that differs between runs.
    pub seconds: f64,
}

impl Trace {
    /// Takes in what more lanes did. The lines are of the same file.
    pub fn add(&mut self, other: &Self) {
        self.warps += other.warps;
        self.lane_ops += other.lane_ops;
        self.warp_instructions += other.warp_instructions;
        self.global.load.add(other.global.load);
        self.global.store.add(other.global.store);
        self.global.atomic.add(other.global.atomic);
        self.uniform.load.add(other.uniform.load);
        self.shared.load.add(other.shared.load);
        self.shared.store.add(other.shared.store);
        self.shared.atomic.add(other.shared.atomic);
        self.branches.executed += other.branches.executed;
        self.branches.divergent += other.branches.divergent;
        self.barriers += other.barriers;
        self.matrix_products += other.matrix_products;
        self.critical.add(other.critical);
        self.global.atomic_turns += other.global.atomic_turns;
        for line in &other.lines {
            match self.lines.binary_search_by_key(&line.line, |known| known.line) {
                Ok(at) => self.lines[at].add(line),
                Err(at) => self.lines.insert(at, *line),
            }
        }
        for finding in &other.findings {
            if !self.findings.iter().any(|known| (known.line, known.kind) == (finding.line, finding.kind)) {
                self.findings.push(finding.clone());
            }
        }
        for note in &other.notes {
            if !self.notes.iter().any(|known| (known.line, known.kind) == (note.line, note.kind)) {
                self.notes.push(note.clone());
            }
        }
        self.complete &= other.complete;
        self.seconds += other.seconds;
    }

    /// Bytes that lanes requested from buffers, by any kind of access.
    #[must_use]
    pub fn global_bytes(&self) -> u64 {
        self.global.load.bytes + self.global.store.bytes + self.global.atomic.bytes
    }

    /// The sectors of buffers that these touched.
    #[must_use]
    pub fn global_sectors(&self) -> u64 {
        self.global.load.sectors + self.global.store.sectors + self.global.atomic.sectors
    }
}

impl AccessCounts {
    fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.sectors += other.sectors;
        self.bytes += other.bytes;
    }
}

impl UniformAccessCounts {
    fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.passes += other.passes;
        self.bytes += other.bytes;
    }
}

impl SharedAccessCounts {
    fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.wavefronts += other.wavefronts;
        self.conflicts += other.conflicts;
    }
}

/// The critical path of a launch. Each quantity is the maximum over a workgroup's warps between barriers, summed over these intervals, then
/// the maximum over the workgroups. Of several launches it is the sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriticalPath {
    /// Instructions.
    pub instructions: u64,
    /// Dependent instructions: the sum of the longest chains of the basic blocks.
    pub chain: u64,
    /// Waits for loads from buffers: loads in flight together are one wait.
    pub global_waits: u64,
    /// The same for workgroup memory.
    pub shared_waits: u64,
    /// Barriers.
    pub barriers: u64,
}

impl CriticalPath {
    fn add(&mut self, other: Self) {
        self.instructions += other.instructions;
        self.chain += other.chain;
        self.global_waits += other.global_waits;
        self.shared_waits += other.shared_waits;
        self.barriers += other.barriers;
    }
}

/// Global memory by kind of access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlobalCounts {
    /// Loads.
    pub load: AccessCounts,
    /// Stores.
    pub store: AccessCounts,
    /// Atomic read-modify-writes.
    pub atomic: AccessCounts,
    /// Serialized atomics: the maximum over stretches of 512 bytes, in which a device executes atomics one after the other. Of several
    /// launches it is the sum.
    #[serde(default)]
    pub atomic_turns: u64,
}

/// Global accesses of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessCounts {
    /// Warp-level accesses with any active lane.
    pub requests: u64,
    /// Distinct 32-byte sectors, summed over the requests.
    pub sectors: u64,
    /// Bytes the lanes asked for. `sectors * 32 / bytes` is the waste.
    pub bytes: u64,
}

/// Uniform buffers by kind of access: they can only be loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UniformCounts {
    /// Loads.
    pub load: UniformAccessCounts,
}

/// Loads of uniform buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UniformAccessCounts {
    /// Warp-level loads with any active lane.
    pub requests: u64,
    /// Passes through the constant cache: one for a request of one address, else one per distinct address and 8 bytes.
    pub passes: u64,
    /// Bytes the lanes asked for.
    pub bytes: u64,
}

/// Workgroup memory by kind of access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedCounts {
    /// Loads.
    pub load: SharedAccessCounts,
    /// Stores.
    pub store: SharedAccessCounts,
    /// Atomic read-modify-writes.
    pub atomic: SharedAccessCounts,
}

/// Shared accesses of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedAccessCounts {
    /// Warp-level accesses with any active lane.
    pub requests: u64,
    /// Passes over the 32 banks.
    pub wavefronts: u64,
    /// Wavefronts beyond the least possible.
    pub conflicts: u64,
}

/// Branches, one for each warp that reached one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchCounts {
    /// Branches executed.
    pub executed: u64,
    /// Those whose active lanes disagreed.
    pub divergent: u64,
}

/// Counts of one source line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCounts {
    /// Line, from 1.
    pub line: u32,
    /// Instructions executed by a warp.
    pub warp_instructions: u64,
    /// The same times the lanes that were active.
    pub lane_ops: u64,
    /// Global sectors, all kinds of access.
    pub sectors: u64,
    /// Shared-memory conflicts, all kinds of access.
    pub conflicts: u64,
    /// Branches that the active lanes disagreed about.
    pub divergent: u64,
}

impl LineCounts {
    /// Adds the counts of another line.
    pub fn add(&mut self, other: &Self) {
        self.warp_instructions += other.warp_instructions;
        self.lane_ops += other.lane_ops;
        self.sectors += other.sectors;
        self.conflicts += other.conflicts;
        self.divergent += other.divergent;
    }

    /// Lanes that were active, on average over the line's instructions; 0 where it executed none.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "an average for people")]
    pub fn active_lanes(&self) -> f64 {
        if self.warp_instructions == 0 { 0.0 } else { self.lane_ops as f64 / self.warp_instructions as f64 }
    }
}

/// The kinds of [`Finding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// An index past the end of a buffer or an array.
    OutOfBounds,
    /// An address that is no multiple of the bytes that are accessed at once.
    Misaligned,
    /// Two lanes of a workgroup at one word with no barrier between, and one of them wrote it.
    Race,
    /// A read of memory that nothing had written.
    Uninitialized,
    /// A read of an asynchronous copy that has not landed.
    EarlyRead,
    /// A subgroup operation that asks a lane which does not take part.
    InactiveLane,
    /// A barrier that not all lanes of a workgroup reach.
    DivergentBarrier,
    /// Warps that wait for each other, or for what nobody does.
    Deadlock,
    /// More instructions than the run's fuel allowed.
    OutOfFuel,
    /// The kernel ended itself: an assertion of its own failed, or it reached a trap.
    Assertion,
}

/// The kinds of [`Note`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// A load past the end whose value is used nowhere.
    UnusedLoad,
    /// A store whose place comes from what an atomic returned.
    ArrivalOrder,
    /// A text that the kernel printed, as it is.
    Printed,
    /// Threads that store one value to one word, with nothing between.
    SameValue,
    /// A strong access whose value depends on which of others came first.
    OrderOfAtomics,
    /// A read of memory that nothing had written, whose value is used nowhere.
    UnusedRead,
}

/// A remark on a line that is not wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The kind of remark.
    pub kind: NoteKind,
    /// Source line, from 1.
    pub line: u32,
    /// The remark.
    pub message: String,
}

/// Something wrong in the kernel, seen while it ran. Each line reports each kind once, with its first case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// Source line, from 1.
    pub line: u32,
    /// The message, naming the workgroup, the lane and the index or address.
    pub message: String,
}

impl Finding {
    /// The finding as a diagnostic about `file`, whose composed text is `text`, or about one of its parts.
    #[must_use]
    pub fn diagnostic(&self, file: &str, text: &str) -> Diagnostic {
        let place = Place { line: self.line, ..Place::start(file) };
        parts::in_part(Diagnostic::error(self.message.clone()).in_place(&place), text)
    }
}
