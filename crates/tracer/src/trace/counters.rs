//! The table of counters: for each count of a trace all that expressions, comparisons, profilers and the guide say about it.

use super::{CacheCounts, LineCounts, Trace};

/// A count of a trace.
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    /// Its keys in the JSON of a trace, with dots between: `global.load.sectors`.
    pub path: &'static str,
    /// Its name in expressions: `load_sectors`.
    pub name: &'static str,
    /// `B` for bytes, `1` for a number of things.
    pub unit: &'static str,
    /// Its definition, in a phrase.
    pub help: &'static str,
    /// Its label where two kernels are compared; counters with the same label are added up, those without one are left out.
    pub compared: &'static str,
    /// The metrics of NVIDIA's profiler, ncu, that add up to it. Each is used under the first of its names that was collected;
    /// one whose last name is empty is 0 where none was.
    pub ncu: &'static [&'static [&'static str]],
    /// Reads it.
    pub of: fn(&Trace) -> u64,
    /// Its place in a trace.
    pub at: fn(&mut Trace) -> &mut u64,
}

impl Counter {
    const fn compared(mut self, label: &'static str) -> Self {
        self.compared = label;
        self
    }

    const fn ncu(mut self, metrics: &'static [&'static [&'static str]]) -> Self {
        self.ncu = metrics;
        self
    }
}

/// The counter in this field of a trace, with its name in expressions, its unit and its help.
macro_rules! counter {
    ($first:ident $(. $next:ident)*, $name:literal, $unit:literal, $help:literal) => {
        Counter {
            path: concat!(stringify!($first) $(, ".", stringify!($next))*),
            name: $name,
            unit: $unit,
            help: $help,
            compared: "",
            ncu: &[],
            of: |trace| trace.$first$(.$next)*,
            at: |trace| &mut trace.$first$(.$next)*,
        }
    };
}

/// All counters, in the order in which they are listed.
pub const COUNTERS: &[Counter] = &[
    counter!(global.load.requests, "load_requests", "1", "loads of whole warps from buffers")
        .compared("load requests")
        .ncu(&[&["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"]]),
    counter!(global.load.sectors, "load_sectors", "1", "sectors of 32 bytes that they access")
        .compared("load sectors")
        .ncu(&[&["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]]),
    counter!(global.load.bytes, "load_bytes", "B", "bytes that lanes ask for"),
    counter!(global.store.requests, "store_requests", "1", "stores of whole warps to buffers")
        .compared("store requests")
        .ncu(&[&["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"]]),
    counter!(global.store.sectors, "store_sectors", "1", "sectors that they access")
        .compared("store sectors")
        .ncu(&[&["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"]]),
    counter!(global.store.bytes, "store_bytes", "B", "bytes that lanes store"),
    counter!(global.atomic.requests, "atomic_requests", "1", "atomic operations of whole warps on buffers")
        .compared("atomic requests")
        .ncu(&[
            &["l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"],
            &["l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"],
        ]),
    counter!(global.atomic.sectors, "atomic_sectors", "1", "sectors that they access, again in each turn").ncu(&[
        &["l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"],
        &["l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"],
    ]),
    counter!(global.atomic.bytes, "atomic_bytes", "B", "bytes that lanes change"),
    counter!(shared.load.requests, "shared_load_requests", "1", "loads of whole warps from workgroup memory")
        .compared("shared requests")
        .ncu(&[
            &["smsp__inst_executed_op_shared_ld_pred_on_any.sum", "smsp__inst_executed_op_shared_ld.sum"],
            // The first leaves loads of matrices out (LDSM).
            &["smsp__inst_executed_op_ldsm.sum", ""],
        ]),
    counter!(
        shared.load.wavefronts,
        "shared_load_wavefronts",
        "1",
        "wavefronts (passes over the banks) that they take"
    )
    .ncu(&[&["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"]]),
    counter!(shared.load.conflicts, "shared_load_conflicts", "1", "wavefronts beyond the minimum for their width")
        .compared("bank conflicts")
        .ncu(&[&["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"]]),
    counter!(shared.store.requests, "shared_store_requests", "1", "stores of whole warps to workgroup memory")
        .compared("shared requests")
        .ncu(&[
            &["smsp__inst_executed_op_shared_st_pred_on_any.sum", "smsp__inst_executed_op_shared_st.sum"],
            &["smsp__inst_executed_op_shared_stsm.sum", ""],
        ]),
    counter!(shared.store.wavefronts, "shared_store_wavefronts", "1", "wavefronts that they take")
        .ncu(&[&["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"]]),
    counter!(shared.store.conflicts, "shared_store_conflicts", "1", "wavefronts beyond the minimum for their width")
        .compared("bank conflicts")
        .ncu(&[&["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"]]),
    counter!(
        shared.atomic.requests,
        "shared_atomic_requests",
        "1",
        "atomic operations of whole warps on workgroup memory"
    )
    .compared("shared requests")
    .ncu(&[&["smsp__inst_executed_op_shared_atom_pred_on_any.sum", "smsp__inst_executed_op_shared_atom.sum"]]),
    counter!(shared.atomic.wavefronts, "shared_atomic_wavefronts", "1", "wavefronts that they take")
        .ncu(&[&["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"]]),
    counter!(shared.atomic.conflicts, "shared_atomic_conflicts", "1", "wavefronts beyond the minimum for their width")
        .compared("bank conflicts")
        .ncu(&[&["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"]]),
    counter!(barriers, "barriers", "1", "barriers that warps meet").compared("barriers"),
    counter!(branches.executed, "branches", "1", "branches that warps execute").compared("branches"),
    counter!(branches.divergent, "divergent_branches", "1", "branches at which the lanes of a warp disagree")
        .compared("divergent branches"),
    counter!(warp_instructions, "warp_instructions", "1", "instructions of whole warps").compared("warp instructions"),
    counter!(
        partial_instructions,
        "partial_instructions",
        "1",
        "instructions of warps with some lanes off: by a branch, or since the workgroup has no more"
    ),
    counter!(lane_ops, "lane_ops", "1", "operations of single lanes"),
    counter!(warps, "warps", "1", "warps that run"),
    counter!(
        matrix_products,
        "matrix_products",
        "1",
        "products of cooperative matrices, one for each warp that makes it"
    ),
    counter!(
        global.atomic_turns,
        "atomic_turns",
        "1",
        "atomic operations that wait for each other: the most on a stretch of 512 bytes"
    ),
    counter!(uniform.load.requests, "uniform_load_requests", "1", "loads of whole warps from uniform buffers"),
    counter!(uniform.load.passes, "uniform_load_passes", "1", "passes through the constant cache that they take"),
    counter!(uniform.load.bytes, "uniform_load_bytes", "B", "bytes that lanes ask for"),
    counter!(
        critical.instructions,
        "critical_instructions",
        "1",
        "instructions on the critical path: of the warp with the most between barriers, in the workgroup with the most"
    ),
    counter!(
        critical.chain,
        "critical_chain",
        "1",
        "the same of instructions that each need the result of the one before"
    ),
    counter!(
        critical.global_waits,
        "critical_global_waits",
        "1",
        "the same of waits for loads from buffers; loads in flight together are one wait"
    ),
    counter!(
        critical.chased_waits,
        "critical_chased_waits",
        "1",
        "the waits of `critical_global_waits` for a pointer chase: a load whose address an earlier run of the same load returned"
    ),
    counter!(
        critical.waiting_intervals,
        "critical_waiting_intervals",
        "1",
        "intervals between barriers on the critical path that have a wait for a load from a buffer"
    ),
    counter!(critical.shared_waits, "critical_shared_waits", "1", "the same of waits for loads from workgroup memory"),
    counter!(critical.barriers, "critical_barriers", "1", "the same of barriers"),
];

/// The counts by which two kernels are compared, by their labels.
#[must_use]
pub fn compared(trace: &Trace) -> Vec<(&'static str, u64)> {
    let mut sums: Vec<(&'static str, u64)> = Vec::new();
    for counter in COUNTERS.iter().filter(|counter| !counter.compared.is_empty()) {
        let count = (counter.of)(trace);
        match sums.iter_mut().find(|(label, _)| *label == counter.compared) {
            Some((_, sum)) => *sum += count,
            None => sums.push((counter.compared, count)),
        }
    }
    sums
}

/// A count of a device's caches, which a trace has only if it follows them.
#[derive(Clone, Copy, Debug)]
pub struct CacheCounter {
    /// Its name in expressions.
    pub name: &'static str,
    /// `B` for bytes, `1` for a number of things.
    pub unit: &'static str,
    /// Its definition, in a phrase.
    pub help: &'static str,
    /// The metric of NVIDIA's profiler, ncu; empty if there is none.
    pub ncu: &'static str,
    /// Reads it.
    pub of: fn(&CacheCounts) -> u64,
}

/// All counts of caches, in the order in which they are listed. A sector has 32 bytes.
pub const CACHE_COUNTERS: &[CacheCounter] = &[
    CacheCounter {
        name: "l1_hits",
        unit: "1",
        help: "sectors of loads that were in the L1 of their SM",
        ncu: "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
        of: |caches| caches.l1_hits,
    },
    CacheCounter {
        name: "l1_misses",
        unit: "1",
        help: "sectors of loads that were not",
        ncu: "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum",
        of: |caches| caches.l1_misses,
    },
    CacheCounter {
        name: "l2_load_bytes",
        unit: "B",
        help: "bytes that L2 is asked for by loads",
        ncu: "lts__t_sectors_srcunit_tex_op_read.sum",
        of: |caches| 32 * caches.l2_loads,
    },
    CacheCounter {
        name: "l2_store_bytes",
        unit: "B",
        help: "bytes that are stored to L2",
        ncu: "lts__t_sectors_srcunit_tex_op_write.sum",
        of: |caches| 32 * caches.l2_stores,
    },
    CacheCounter {
        name: "dram_load_bytes",
        unit: "B",
        help: "bytes that L2 fetches from DRAM",
        ncu: "dram__bytes_read.sum",
        of: |caches| 32 * caches.dram_loads,
    },
    CacheCounter {
        name: "dram_store_bytes",
        unit: "B",
        help: "bytes that L2 writes back to DRAM before the launch ends",
        ncu: "dram__bytes_write.sum",
        of: |caches| 32 * caches.dram_stores,
    },
    CacheCounter {
        name: "l2_dirty_bytes",
        unit: "B",
        help: "bytes in L2 that have yet to be written back when it ends",
        ncu: "",
        of: |caches| 32 * caches.dirty,
    },
];

/// A count of a source line.
#[derive(Clone, Copy, Debug)]
pub struct LineCounter {
    /// The heading of its column.
    pub heading: &'static str,
    /// Its name after a number where the line is known to be meant.
    pub short: &'static str,
    /// The thing that it counts: one, and several.
    pub thing: [&'static str; 2],
    /// Reads it.
    pub of: fn(&LineCounts) -> u64,
    /// Its place in a line's counts.
    pub at: fn(&mut LineCounts) -> &mut u64,
    /// Whether only a trace that counts caches has it.
    pub needs_caches: bool,
}

impl LineCounter {
    /// Whether a trace has it.
    #[must_use]
    pub fn is_in(&self, trace: &Trace) -> bool {
        !self.needs_caches || trace.caches.is_some()
    }
}

/// The line's counter in this field, with its heading, its short name, and the thing that it counts.
macro_rules! line_counter {
    ($field:ident, $heading:literal, $short:literal, $thing:expr, $needs_caches:literal) => {
        LineCounter {
            needs_caches: $needs_caches,
            heading: $heading,
            short: $short,
            thing: $thing,
            of: |counts| counts.$field,
            at: |counts| &mut counts.$field,
        }
    };
}

/// The counts that each source line has. Its active lanes are an average, of [`LineCounts::active_lanes`].
pub const LINE_COUNTERS: [LineCounter; 7] = [
    line_counter!(
        warp_instructions,
        "warp instructions",
        "instructions",
        ["warp instruction", "warp instructions"],
        false
    ),
    line_counter!(sectors, "sectors", "sectors", ["sector of global memory", "sectors of global memory"], false),
    line_counter!(conflicts, "conflicts", "conflicts", ["bank conflict", "bank conflicts"], false),
    line_counter!(divergent, "divergent", "divergent", ["divergent branch", "divergent branches"], false),
    line_counter!(l1_hits, "from L1", "from L1", ["sector from L1", "sectors from L1"], true),
    line_counter!(l2_sectors, "asked of L2", "asked of L2", ["sector asked of L2", "sectors asked of L2"], true),
    line_counter!(dram_sectors, "from DRAM", "from DRAM", ["sector from DRAM", "sectors from DRAM"], true),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    /// The paths and values of all whole numbers of a trace, except those of lines.
    fn numbers(path: &str, value: &Value, found: &mut Vec<(String, u64)>) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    numbers(&path, value, found);
                }
            }
            Value::Number(number) => found.extend(number.as_u64().map(|number| (path.to_owned(), number))),
            _ => {}
        }
    }

    /// A trace whose counters are 1, 2, 3, …
    fn numbered() -> Trace {
        let mut trace = Trace::default();
        (1..).zip(COUNTERS).for_each(|(number, counter)| *(counter.at)(&mut trace) = number);
        trace
    }

    #[test]
    fn every_number_of_a_trace_has_a_row() -> Result<(), serde_json::Error> {
        let mut found = Vec::new();
        numbers("", &serde_json::to_value(numbered())?, &mut found);
        found.sort();
        let mut rows: Vec<(String, u64)> =
            (1..).zip(COUNTERS).map(|(number, counter)| (counter.path.to_owned(), number)).collect();
        rows.sort();
        assert_eq!(found, rows);
        let names: BTreeSet<&str> = COUNTERS.iter().map(|counter| counter.name).collect();
        assert_eq!(names.len(), COUNTERS.len(), "a name is there twice");
        Ok(())
    }

    #[test]
    fn every_number_of_a_line_has_a_row() -> Result<(), serde_json::Error> {
        let mut counts = LineCounts { line: 7, lane_ops: 9, ..LineCounts::default() };
        LINE_COUNTERS.iter().for_each(|counter| *(counter.at)(&mut counts) = 3);
        let mut found = Vec::new();
        numbers("", &serde_json::to_value(counts)?, &mut found);
        assert!(found.iter().all(|(_, number)| *number > 0), "{found:?}");
        Ok(())
    }

    #[test]
    fn traces_add_up() {
        let mut sum = numbered();
        sum.add(&numbered());
        let counts: Vec<u64> = COUNTERS.iter().map(|counter| (counter.of)(&sum)).collect();
        assert_eq!(counts, (1..).map(|number| 2 * number).take(COUNTERS.len()).collect::<Vec<u64>>());
    }

    #[test]
    fn counters_with_one_label_are_added_up() {
        let mut trace = Trace::default();
        (trace.shared.load.conflicts, trace.shared.atomic.conflicts, trace.barriers) = (2, 3, 7);
        let sums: Vec<_> = compared(&trace).into_iter().filter(|(_, sum)| *sum > 0).collect();
        assert_eq!(sums, [("bank conflicts", 5), ("barriers", 7)]);
    }
}
