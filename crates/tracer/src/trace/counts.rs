//! Counts over a grid, in the units of NVIDIA's hardware counters. Their JSON is the CLI's `TRACE`.

use serde::{Deserialize, Serialize};

use super::counters::{COUNTERS, LINE_COUNTERS};
use super::{Finding, Note};

/// The counts and findings of a whole grid. The same program and inputs give the same counts on any machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// Warps launched.
    pub warps: u64,
    /// Operations, one for each active lane of each executed instruction.
    pub lane_ops: u64,
    /// Instructions, one for each warp that executed it.
    pub warp_instructions: u64,
    /// Warp instructions executed with some lanes off.
    #[serde(default)]
    pub partial_instructions: u64,
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
    /// Hits and misses of the caches; None unless `TraceSpec::caches` is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caches: Option<CacheCounts>,
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
        COUNTERS.iter().for_each(|counter| *(counter.at)(self) += (counter.of)(other));
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
        if let Some(more) = &other.caches {
            self.caches.get_or_insert_default().add(more);
        }
        self.seconds += other.seconds;
    }

    /// Makes the counts of `ran` workgroups those of `all`; the critical path is that of one.
    pub fn scale(&mut self, all: u64, ran: u64) {
        let critical = self.critical;
        for counter in COUNTERS {
            let count = (counter.at)(self);
            *count = scaled(*count, all, ran);
        }
        self.critical = critical;
        for line in &mut self.lines {
            for counter in LINE_COUNTERS {
                let count = (counter.at)(line);
                *count = scaled(*count, all, ran);
            }
            line.lane_ops = scaled(line.lane_ops, all, ran);
        }
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
    /// The waits in `global_waits` for a pointer chase: for a load whose address an earlier run of the same load returned.
    #[serde(default)]
    pub chased_waits: u64,
    /// Intervals between barriers in which at least one of the `global_waits` is.
    #[serde(default)]
    pub waiting_intervals: u64,
    /// The same for workgroup memory.
    pub shared_waits: u64,
    /// Barriers.
    pub barriers: u64,
}

/// The count of a part that is `ran` of `all`, for all.
#[must_use]
pub fn scaled(count: u64, all: u64, ran: u64) -> u64 {
    u64::try_from(u128::from(count) * u128::from(all) / u128::from(ran.max(1))).unwrap_or(u64::MAX)
}

/// The requests of global memory by the level that served them, in sectors of 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheCounts {
    /// Sectors of loads that were in L1.
    pub l1_hits: u64,
    /// Sectors of loads that were not.
    pub l1_misses: u64,
    /// Sectors that L2 was asked for by loads past L1.
    pub l2_loads: u64,
    /// Sectors that were stored to L2.
    pub l2_stores: u64,
    /// Sectors in which L2 did atomics.
    pub l2_atomics: u64,
    /// Sectors of loads and atomics that were there.
    pub l2_hits: u64,
    /// Sectors that were fetched from DRAM.
    pub dram_loads: u64,
    /// Sectors that were written back to DRAM before the launch ended.
    pub dram_stores: u64,
    /// Sectors in L2 that have yet to be written back at its end.
    pub dirty: u64,
}

impl CacheCounts {
    /// Makes the counts of `ran` workgroups those of `all`, of which at most `fetched` sectors come from DRAM.
    pub fn scale(&mut self, all: u64, ran: u64, fetched: u64) {
        let Self { l1_hits, l1_misses, l2_loads, l2_stores, l2_atomics, l2_hits, dram_loads, dram_stores, dirty } =
            self;
        for count in [l1_hits, l1_misses, l2_loads, l2_stores, l2_atomics, dram_stores, dirty] {
            *count = scaled(*count, all, ran);
        }
        *dram_loads = scaled(*dram_loads, all, ran).min(fetched.max(*dram_loads));
        // DRAM gives two sectors at a time.
        *l2_hits = (*l2_loads + *l2_atomics).saturating_sub(*dram_loads / 2);
    }

    /// Takes in those of a later launch.
    pub fn add(&mut self, other: &Self) {
        self.l1_hits += other.l1_hits;
        self.l1_misses += other.l1_misses;
        self.l2_loads += other.l2_loads;
        self.l2_stores += other.l2_stores;
        self.l2_atomics += other.l2_atomics;
        self.l2_hits += other.l2_hits;
        self.dram_loads += other.dram_loads;
        self.dram_stores += other.dram_stores;
        self.dirty = other.dirty;
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
    /// Sectors of loads that were in L1; 0 where caches are not counted, as the next two.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub l1_hits: u64,
    /// Sectors that L2 was asked for, all kinds of access.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub l2_sectors: u64,
    /// Sectors that were fetched from DRAM.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dram_sectors: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl LineCounts {
    /// Adds the counts of another line.
    pub fn add(&mut self, other: &Self) {
        LINE_COUNTERS.iter().for_each(|counter| *(counter.at)(self) += (counter.of)(other));
        self.lane_ops += other.lane_ops;
    }

    /// Lanes that were active, on average over the line's instructions; 0 where it executed none.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "an average for people")]
    pub fn active_lanes(&self) -> f64 {
        if self.warp_instructions == 0 { 0.0 } else { self.lane_ops as f64 / self.warp_instructions as f64 }
    }
}
