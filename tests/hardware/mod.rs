//! The tracer's counts beside those that an H100's counters gave: equal, or different by what is explained.
//!
//! `cases.json` says what runs: a WGSL kernel, its CUDA twin, all constants that the twin is given, buffers and grid.
//! Rows marked `inexact` take exponentials, whose last bits differ: of those only the counters are compared.
//! `measure.py` runs the twins under a profiler and writes `counters.json`. `explained.json` holds every difference:
//! the reason, and for each row and counter what the tracer and what the hardware counts. `TABLE.md` shows all of it;
//! `WARPBOOK_WRITE_TABLE=1 cargo test --test main hardware::` writes it.

mod caches;
mod cases;
mod ptx;
mod table;
mod uniform;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use cases::{Outcome, Row, folder, json, root, rows};
use rayon::prelude::*;
use serde::Deserialize;

/// The measurements, as `measure.py` writes them.
#[derive(Deserialize)]
struct Measured {
    /// Device, driver, versions, date and commands.
    head: BTreeMap<String, String>,
    rows: BTreeMap<String, Outcome>,
}

/// One reason for differences.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Explanation {
    why: String,
    /// By row and counter: what the tracer counts, and what the hardware does.
    rows: BTreeMap<String, BTreeMap<String, [u64; 2]>>,
}

/// Everything there is to compare.
struct Comparison {
    head: BTreeMap<String, String>,
    /// Each row with what the tracer and, where it was measured, what the hardware came to.
    rows: Vec<(Row, Outcome, Option<Outcome>)>,
    explained: Vec<Explanation>,
}

static COMPARISON: LazyLock<Result<Comparison, String>> = LazyLock::new(|| {
    let mut measured: Measured = json("counters.json")?;
    let rows = rows()?;
    let traced: Vec<Outcome> = rows.par_iter().map(Row::trace).collect::<Result<_, _>>()?;
    let rows: Vec<_> = rows
        .into_iter()
        .zip(traced)
        .map(|(row, traced)| {
            let hardware = measured.rows.remove(&row.name);
            (row, traced, hardware)
        })
        .collect();
    if let Some(name) = measured.rows.keys().next() {
        return Err(format!("counters.json has a row `{name}`, and cases.json has not: measure again"));
    }
    Ok(Comparison { head: measured.head, rows, explained: json("explained.json")? })
});

fn comparison() -> Result<&'static Comparison, String> {
    COMPARISON.as_ref().map_err(Clone::clone)
}

impl Comparison {
    /// The counters in which a row differs: what the tracer counts, and what the hardware does.
    fn differences(traced: &Outcome, hardware: &Outcome) -> BTreeMap<String, [u64; 2]> {
        let names: BTreeSet<&String> = traced.counters.keys().chain(hardware.counters.keys()).collect();
        let of = |outcome: &Outcome, name| outcome.counters.get(name).copied().unwrap_or(0);
        let both = names.into_iter().map(|name| (name.clone(), [of(traced, name), of(hardware, name)]));
        both.filter(|(_, [tracer, hardware])| tracer != hardware).collect()
    }

    /// The explanation of a row's differences.
    fn explanation(&self, row: &str) -> Option<&Explanation> {
        self.explained.iter().find(|e| e.rows.contains_key(row))
    }
}

#[test]
fn every_row_is_equal_or_explained() -> Result<(), String> {
    let comparison = comparison()?;
    let mut wrong = Vec::new();
    let mut explained: BTreeSet<&str> = BTreeSet::new();
    for row in comparison.explained.iter().flat_map(|e| e.rows.keys()) {
        if !explained.insert(row) {
            wrong.push(format!("{row}: explained twice"));
        }
    }
    for (row, traced, hardware) in &comparison.rows {
        let Some(hardware) = hardware else {
            if !row.unmeasured() {
                wrong.push(format!("{}: not measured", row.name));
            }
            continue;
        };
        if row.unmeasured() {
            wrong.push(format!("{}: measured, and cases.json says that it is not", row.name));
        }
        if row.exact() && traced.checksum != hardware.checksum {
            wrong.push(format!("{}: {} and {} computed different things", row.name, row.wgsl, row.cuda));
        }
        let differences = Comparison::differences(traced, hardware);
        let known = comparison.explanation(&row.name).map(|e| e.rows[&row.name].clone()).unwrap_or_default();
        explained.remove(row.name.as_str());
        if differences != known {
            wrong.push(format!("{}: [tracer, hardware] are {differences:?}, explained are {known:?}", row.name));
        }
    }
    wrong.extend(explained.iter().map(|row| format!("{row}: explained, and not in cases.json")));
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// Kernels that only the tracer runs, to check others.
const REFERENCES: [&str; 7] = [
    "shaders/neuron/plain.wgsl",
    "shaders/one_step/plain_attention.wgsl",
    "shaders/one_step/plain_attention_gradient.wgsl",
    "shaders/one_step/plain_loss.wgsl",
    "shaders/tokenization/count_plain.wgsl",
    "shaders/tokenization/plain.wgsl",
    "shaders/zero/plain.wgsl",
];

/// Kernels for readers without CUDA: beside them the lesson has others in CUDA C++ alone, so there is nothing to
/// profile.
const WITHOUT_CUDA: [&str; 1] = ["shaders/attention/flash_coop.wgsl"];

/// The files below `path` that end so, from the root.
fn files(path: &Path, ending: &str) -> Result<BTreeSet<String>, String> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(path).map_err(|e| format!("{}: {e}", path.display()))? {
        let path = entry.map_err(|e| e.to_string())?.path();
        if path.is_dir() {
            found.extend(files(&path, ending)?);
        } else if path.extension().is_some_and(|e| e == ending) {
            let name = path.strip_prefix(root()).map_err(|e| e.to_string())?;
            found.insert(name.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(found)
}

#[test]
fn every_shipped_kernel_and_every_pattern_has_a_row() -> Result<(), String> {
    let rows = &comparison()?.rows;
    let run: BTreeSet<String> = rows.iter().map(|(row, ..)| row.wgsl.clone()).collect();
    let mut wgsl = files(&root().join("shaders"), "wgsl")?;
    // Files that kernels include have no entry point of their own.
    let has_entry =
        |file: &String| std::fs::read_to_string(root().join(file)).is_ok_and(|text| text.contains("@compute"));
    let is_profiled = |file: &str| !REFERENCES.contains(&file) && !WITHOUT_CUDA.contains(&file);
    wgsl.retain(|file| has_entry(file) && is_profiled(file));
    wgsl.extend(files(&folder(), "wgsl")?);
    assert_eq!(wgsl, run, "left: the kernels there are, right: those in cases.json");
    let twins: BTreeSet<String> = rows.iter().map(|(row, ..)| row.cuda.clone()).collect();
    let mut cuda = files(&root().join("shaders"), "cu")?;
    // Some kernels are only CUDA: there is nothing that the tracer could run beside them.
    cuda.retain(|file| wgsl.contains(&file.replace(".cu", ".wgsl")));
    cuda.extend(files(&folder(), "cu")?);
    assert_eq!(cuda, twins, "left: the CUDA twins there are, right: those in cases.json");
    Ok(())
}

/// Compares a derived file of this folder with what is on the disk, or writes it where that is asked for.
fn is_written(file: &str, text: &str) -> Result<(), String> {
    let path = folder().join(file);
    if std::env::var_os("WARPBOOK_WRITE_TABLE").is_some() {
        return std::fs::write(&path, text).map_err(|e| e.to_string());
    }
    if std::fs::read_to_string(&path).map_err(|e| e.to_string())? == text {
        return Ok(());
    }
    let how = "write it with WARPBOOK_WRITE_TABLE=1 cargo test --test main hardware::";
    Err(format!("{file} is not of these counts: {how}"))
}

#[test]
fn the_table_shows_what_was_compared() -> Result<(), String> {
    is_written("TABLE.md", &(table::markdown(comparison()?) + &ptx::markdown()? + &uniform::markdown()?))
}

#[test]
fn the_profilers_metrics_are_those_of_the_counters() -> Result<(), String> {
    is_written("metrics.json", &cases::metrics())
}
