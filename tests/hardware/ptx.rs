//! The same rows traced from the PTX of the twins, as `assemble.py` compiled them: what the hardware ran is what is
//! counted.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rayon::prelude::*;
use warpbook::gpu::shipped;
use warpbook::job::Shipped;

use super::cases::{Outcome, Row, folder, json, rows};
use super::{Comparison, Explanation, Measured};

/// The PTX of each row.
static PTX: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let bytes = std::fs::read(folder().join("ptx.gz")).unwrap_or_default();
    shipped::sections(&Shipped(bytes.into()))
});

#[test]
fn every_row_from_ptx_is_equal_or_explained() -> Result<(), String> {
    let measured: Measured = json("counters.json")?;
    let rows = rows()?;
    let traced: Vec<Result<Outcome, String>> = rows
        .par_iter()
        .map(|row| match PTX.get(&row.name) {
            Some(ptx) => row.trace_ptx(ptx),
            None => Err(format!("{}: ptx.gz does not have it: run assemble.py", row.name)),
        })
        .collect();
    let explained: Vec<Explanation> = json("explained_ptx.json")?;
    let known = |row: &str| explained.iter().find_map(|e| e.rows.get(row)).cloned().unwrap_or_default();
    let (mut wrong, mut equal) = (Vec::new(), 0);
    for (row, traced) in rows.iter().zip(traced) {
        let Some(hardware) = measured.rows.get(&row.name) else { continue };
        let traced = match traced {
            Ok(traced) => traced,
            Err(why) => {
                wrong.push(why);
                continue;
            }
        };
        if row.exact() && traced.checksum != hardware.checksum {
            wrong.push(format!("{}: the PTX computes something else than the hardware", row.name));
        }
        let differences = Comparison::differences(&traced, hardware);
        equal += usize::from(differences.is_empty());
        if differences != known(&row.name) {
            wrong.push(format!("{}: [tracer, hardware] are {differences:?}", row.name));
        }
    }
    // 962 are equal when traced from WGSL.
    if equal < 1087 {
        wrong.push(format!("{equal} of {} rows are equal, 1,087 were", measured.rows.len()));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

impl Row {
    /// Runs the row on the tracer, from its twin's PTX.
    fn trace_ptx(&self, ptx: &str) -> Result<Outcome, String> {
        self.traced(&self.program_of_ptx(ptx)?)
    }
}
