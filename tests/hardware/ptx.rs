//! The same rows traced from the PTX of the twins, as `assemble.py` compiled them: what the hardware ran is what is
//! counted.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::LazyLock;

use rayon::prelude::*;
use warpbook::gpu::shipped;
use warpbook::job::Shipped;

use super::cases::{Outcome, Row, folder, json, rows};
use super::{Comparison, Explanation, Measured, table};

/// The PTX of each row.
static PTX: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let bytes = std::fs::read(folder().join("ptx.gz")).unwrap_or_default();
    shipped::sections(&Shipped(bytes.into()))
});

/// A row whose counts differ from the hardware's when it is traced from PTX.
struct Differing {
    row: String,
    hardware: Outcome,
    /// By counter: the tracer's and the hardware's.
    differences: BTreeMap<String, [u64; 2]>,
}

/// What came out of all rows.
struct FromPtx {
    equal: usize,
    differing: Vec<Differing>,
    /// Rows that cannot be traced, or that compute something else.
    wrong: Vec<String>,
    explained: Vec<Explanation>,
}

static FROM_PTX: LazyLock<Result<FromPtx, String>> = LazyLock::new(|| {
    let measured: Measured = json("counters.json")?;
    let rows = rows()?;
    let traced: Vec<Result<Outcome, String>> = rows
        .par_iter()
        .map(|row| match PTX.get(&row.name) {
            Some(ptx) => row.trace_ptx(ptx),
            None => Err(format!("{}: ptx.gz does not have it: run assemble.py", row.name)),
        })
        .collect();
    let explained = json("explained_ptx.json")?;
    let mut found = FromPtx { equal: 0, differing: Vec::new(), wrong: Vec::new(), explained };
    for (row, traced) in rows.iter().zip(traced) {
        let Some(hardware) = measured.rows.get(&row.name) else { continue };
        let traced = match traced {
            Ok(traced) => traced,
            Err(why) => {
                found.wrong.push(why);
                continue;
            }
        };
        if row.exact() && traced.checksum != hardware.checksum {
            found.wrong.push(format!("{}: the PTX computes something else than the hardware", row.name));
        }
        let differences = Comparison::differences(&traced, hardware);
        if differences.is_empty() {
            found.equal += 1;
        } else {
            found.differing.push(Differing { row: row.name.clone(), hardware: hardware.clone(), differences });
        }
    }
    Ok(found)
});

/// The explanation of a row.
fn explanation<'e>(explained: &'e [Explanation], row: &str) -> Option<&'e Explanation> {
    explained.iter().find(|explanation| explanation.rows.contains_key(row))
}

#[test]
fn every_row_from_ptx_is_equal_or_explained() -> Result<(), String> {
    let FromPtx { equal, differing, wrong, explained } = FROM_PTX.as_ref().map_err(Clone::clone)?;
    let mut wrong = wrong.clone();
    for Differing { row, differences, .. } in differing {
        if explanation(explained, row).map(|of| &of.rows[row]) != Some(differences) {
            wrong.push(format!("{row}: [tracer, hardware] are {differences:?}"));
        }
    }
    let is_equal = |row: &&String| !differing.iter().any(|differs| differs.row == **row);
    let all = explained.iter().flat_map(|of| of.rows.keys()).filter(is_equal);
    wrong.extend(all.map(|row| format!("{row}: explained, and equal")));
    // 962 are equal when traced from WGSL. 13 of the others have counts that no code decides: atomics of scattered lanes, and what differs from
    // run to run.
    if *equal < 1090 {
        wrong.push(format!("{equal} rows are equal, 1,090 were"));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The rows that differ, for `TABLE.md`.
///
/// # Errors
/// Files that cannot be read.
pub fn markdown() -> Result<String, String> {
    let FromPtx { equal, differing, explained, .. } = FROM_PTX.as_ref().map_err(Clone::clone)?;
    let mut out = format!(
        "\n## From PTX\n\nThe same rows traced from the PTX of their CUDA twins, in which the assembler's joined loads are counted as it joins them: {equal} \
         of {} are equal. These differ still:\n\n| row | hardware | tracer | why |\n| --- | --- | --- | --- |\n",
        equal + differing.len()
    );
    for Differing { row, hardware, differences } in differing {
        let why = explanation(explained, row).map_or("", |of| of.why.as_str());
        let (shown, differ) = (table::shown(&hardware.counters), table::differing(differences));
        writeln!(out, "| {row} | {shown} | {differ} | {why} |").map_err(|error| error.to_string())?;
    }
    Ok(out)
}

impl Row {
    /// Runs the row on the tracer, from its twin's PTX.
    fn trace_ptx(&self, ptx: &str) -> Result<Outcome, String> {
        self.traced(&self.program_of_ptx(ptx)?)
    }
}
