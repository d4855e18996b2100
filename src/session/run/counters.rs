//! Counters of NVIDIA's profiler, ncu, beside the tracer's counts.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::interpreter::{Package, answer};
use crate::base::diag::{Diagnostic, Place};
use crate::trace::Trace;
use crate::trace::counters::{COUNTERS, Counter};

/// The Python package that reads ncu's reports.
const READER: Package = Package { folder: "ncu_report", name: "ncu's reader of reports", install: "ncu-report" };

/// A launch that ncu profiled.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Profiled {
    /// The kernel's name, without its parameters' types.
    pub kernel: String,
    /// Blocks of its grid in x, y and z, and threads of a block; None if the columns are not there.
    pub shape: [Option<[u32; 3]>; 2],
    /// The columns that are numbers, by name.
    pub values: BTreeMap<String, f64>,
}

/// A counter on the hardware and in the trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// Its name.
    pub counter: String,
    /// The hardware's.
    pub hardware: u64,
    /// The trace's.
    pub traced: u64,
    /// The relation of the two.
    pub verdict: Verdict,
}

/// The relation of a counter on the hardware and in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// They are equal.
    Equal,
    /// They differ as a known difference between PTX and machine code makes them differ.
    Explained(&'static str),
    /// They differ.
    NotExplained,
}

/// The counters that ncu has, too, with their names beside its own: `global load sectors`.
fn counters() -> impl Iterator<Item = (String, &'static Counter)> {
    let known = COUNTERS.iter().filter(|counter| !counter.ncu.is_empty());
    known.map(|counter| (counter.path.replace('.', " "), counter))
}

/// A known difference: for counters whose names begin and end so, if it holds of the hardware's count, the trace's and the trace.
struct Rule {
    counter: [&'static str; 2],
    holds: fn(u64, u64, &Trace) -> bool,
    why: &'static str,
}

/// The known differences between PTX and the machine code that `ptxas` compiles it to; each was seen in `tests/hardware`.
const RULES: [Rule; 7] = [
    Rule {
        counter: ["shared load", "requests"],
        holds: |hardware, traced, trace| hardware < traced && trace.matrix_products > 0,
        why: "loads of matrices (LDSM) have a metric of their own, smsp__inst_executed_op_ldsm.sum, which was not collected; the trace counts them as loads",
    },
    Rule {
        counter: ["shared load", ""],
        holds: |hardware, traced, _| hardware < traced && hardware.saturating_mul(4) >= traced,
        why: "ptxas merges loads of shared memory that follow each other into one of 8 or 16 bytes (LDS.64, LDS.128)",
    },
    Rule {
        counter: ["shared store", ""],
        holds: |hardware, traced, _| hardware < traced && hardware.saturating_mul(4) >= traced,
        why: "ptxas merges stores to shared memory that follow each other into one of 8 or 16 bytes (STS.64, STS.128)",
    },
    Rule {
        counter: ["global load", "requests"],
        holds: |hardware, traced, _| hardware < traced,
        why: "ptxas keeps a value that a thread has loaded in a register, or merges loads that follow each other",
    },
    Rule {
        counter: ["global load", "sectors"],
        holds: |hardware, traced, _| hardware < traced,
        why: "a load that ptxas does not repeat, or that it merged with its neighbour, requests fewer sectors",
    },
    Rule {
        counter: ["global", ""],
        holds: |hardware, traced, trace| hardware > traced && trace.branches.divergent > 0,
        why: "ptxas unrolls loops: lanes of a warp with different numbers of turns then take different ways and make more requests",
    },
    Rule {
        counter: ["shared", "conflicts"],
        holds: |hardware, traced, _| hardware.abs_diff(traced).saturating_mul(20) <= hardware.max(traced),
        why: "wavefronts in which loads wait for stores of other warps count as conflicts, and differ between runs by up to 5%",
    },
];

/// Reads the launches in what `ncu --csv --page raw` printed. Lines before the header, which ncu writes for people, are skipped.
///
/// # Errors
/// A text without ncu's header, and a line that is no CSV, with its place.
pub fn read(file: &str, text: &str) -> Result<Vec<Profiled>, Diagnostic> {
    let is_header = |line: &str| line.starts_with("\"ID\"") && line.contains("\"Kernel Name\"");
    let Some(before) = text.lines().position(is_header) else {
        return Err(Diagnostic::error("there is no header of ncu's raw page in it")
            .in_file(file)
            .hint("write it with: ncu --csv --page raw … PROGRAM > FILE.csv"));
    };
    let table: String = text.lines().skip(before).flat_map(|line| [line, "\n"]).collect();
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(table.as_bytes());
    let wrong = |error: &csv::Error| {
        let line = error.position().map_or(0, |at| u32::try_from(at.line()).unwrap_or(u32::MAX));
        let place = Place { line: line.saturating_add(u32::try_from(before).unwrap_or(0)), ..Place::start(file) };
        Diagnostic::error(format!("this line is no CSV: {error}")).in_place(&place)
    };
    let header = reader.headers().map_err(|error| wrong(&error))?.clone();
    let mut launches = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| wrong(&error))?;
        let cells = || header.iter().zip(record.iter());
        let text_of = |name: &str| cells().find(|(column, _)| *column == name).map_or("", |(_, cell)| cell);
        // The line after the header has the units.
        if text_of("ID").is_empty() {
            continue;
        }
        let kernel = plain_name(text_of("Kernel Name"));
        let numbers =
            cells().filter_map(|(column, cell)| Some((column.to_owned(), cell.replace(',', "").parse().ok()?)));
        let shape = ["Grid Size", "Block Size"].map(|name| triple(text_of(name)));
        launches.push(Profiled { kernel, shape, values: numbers.collect() });
    }
    Ok(launches)
}

/// The output of the reader of reports.
#[derive(Deserialize)]
#[serde(untagged)]
enum Report {
    Read { launches: Vec<Profiled> },
    Failed { error: String },
}

/// Reads the launches in a report of ncu's, FILE.ncu-rep, by ncu's own reader.
///
/// # Errors
/// That no Python has it, or that it cannot read the report.
pub fn report(file: &str) -> Result<Vec<Profiled>, Diagnostic> {
    let failed = format!("{file} cannot be read");
    match answer(READER, (include_str!("ncu_rep.py"), file), &failed, Some(Path::new(file)))? {
        Report::Read { mut launches } => {
            for launch in &mut launches {
                launch.kernel = plain_name(&launch.kernel);
            }
            Ok(launches)
        }
        Report::Failed { error } => Err(Diagnostic::error(format!("{failed}: {error}"))),
    }
}

/// A kernel's name without its result, its parameters and the arguments of its template.
fn plain_name(kernel: &str) -> String {
    let kernel = kernel.split(['(', '<']).next().unwrap_or(kernel).trim();
    kernel.rsplit(' ').next().unwrap_or(kernel).to_owned()
}

/// Three numbers as ncu writes them: `(8, 1, 1)`.
fn triple(text: &str) -> Option<[u32; 3]> {
    let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let numbers: Vec<u32> = inner.split(',').map(|n| n.trim().parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

/// The counters that were collected of a launch, beside the trace's.
#[must_use]
pub fn compare(profiled: &Profiled, trace: &Trace) -> Vec<Compared> {
    let collected = counters().filter_map(|(name, counter)| {
        let value = |name: &&str| if name.is_empty() { Some(0.0) } else { profiled.values.get(*name).copied() };
        let metrics = counter.ncu.iter().map(|names| names.iter().find_map(value));
        let sum: f64 = metrics.collect::<Option<Vec<f64>>>()?.into_iter().sum();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a counter")]
        let (hardware, traced) = (sum as u64, (counter.of)(trace));
        let verdict = verdict(&name, hardware, traced, trace);
        Some(Compared { counter: name, hardware, traced, verdict })
    });
    collected.collect()
}

fn verdict(counter: &str, hardware: u64, traced: u64, trace: &Trace) -> Verdict {
    if hardware == traced {
        return Verdict::Equal;
    }
    let mut rules = RULES.iter().filter(|rule| {
        let [start, end] = rule.counter;
        counter.starts_with(start) && counter.ends_with(end) && (rule.holds)(hardware, traced, trace)
    });
    rules.next().map_or(Verdict::NotExplained, |rule| Verdict::Explained(rule.why))
}

/// The metrics to ask ncu for, with commas between.
#[must_use]
pub fn metrics() -> String {
    let all = COUNTERS.iter().flat_map(|counter| counter.ncu.iter().filter_map(|names| names.first().copied()));
    all.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: &str = "==PROF== Connected to process 1\n\"ID\",\"Kernel Name\",\"Grid Size\",\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\",\
\"smsp__inst_executed_op_shared_ld.sum\",\"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum\"\n\"\",\"\",\"\",\"request\",\"inst\",\"sector\"\n\
\"0\",\"void tile<float>(const float *, int)\",\"(8, 2, 1)\",\"1,024\",\"64\",\"96\"\n";

    fn traced() -> Trace {
        let mut trace = Trace::default();
        (trace.global.load.requests, trace.shared.load.requests, trace.global.store.sectors) = (1024, 256, 64);
        trace
    }

    #[test]
    fn each_counter_is_equal_explained_or_neither() -> Result<(), Diagnostic> {
        let launches = read("raw.csv", RAW)?;
        let [launch] = launches.as_slice() else { return Err(Diagnostic::error("one launch was given")) };
        assert_eq!((launch.kernel.as_str(), launch.shape), ("tile", [Some([8, 2, 1]), None]));
        let compared = compare(launch, &traced());
        let seen: Vec<_> = compared.iter().map(|c| (c.counter.as_str(), c.hardware, c.traced)).collect();
        let wanted =
            [("global load requests", 1024, 1024), ("global store sectors", 96, 64), ("shared load requests", 64, 256)];
        assert_eq!(seen, wanted);
        assert_eq!(compared[0].verdict, Verdict::Equal);
        assert_eq!(compared[1].verdict, Verdict::NotExplained);
        assert!(matches!(compared[2].verdict, Verdict::Explained(_)));
        Ok(())
    }

    #[test]
    fn what_ncu_did_not_write_is_refused() {
        assert!(read("raw.csv", "a,b\n1,2\n").is_err());
        assert!(read("raw.csv", "").is_err());
    }
}
