//! The machine code of a traced kernel, as JSON and as text.

use std::collections::BTreeMap;

use serde::Serialize;

use super::out;
use crate::base::parts::Places;
use crate::base::units::counted;
use crate::device::Resource;
use crate::machine::{Instruction, MachineCode, Pipe, by_pipe};
use crate::session::run::model::Predicted;
use crate::session::run::shader_file::Outcome;

/// The JSON of a kernel's machine code.
#[derive(Serialize)]
pub(super) struct Machine<'a> {
    #[serde(flatten)]
    code: &'a MachineCode,
    /// The share of an SM's warps that the predicted device holds.
    occupancy: Option<f64>,
    limited_by: Option<Resource>,
    /// Instructions in the code by the pipe that executes them; null where nothing shows machine code.
    instructions: Option<BTreeMap<Pipe, u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    listing: Option<&'a [Instruction]>,
}

impl<'a> Machine<'a> {
    /// None if ptxas is not installed. The instructions themselves are included if they are `wanted`.
    pub(super) fn of(
        outcome: &'a Outcome,
        predicted: Option<&Predicted>,
        listing: Option<&'a [Instruction]>,
        wanted: bool,
    ) -> Option<Self> {
        let occupancy = predicted.and_then(|predicted| predicted.occupancy.as_ref());
        Some(Self {
            code: outcome.machine_code.as_ref()?,
            occupancy: occupancy.and_then(|occupancy| occupancy.fraction),
            limited_by: occupancy.map(|occupancy| occupancy.limited_by),
            instructions: listing.map(by_pipe),
            listing: listing.filter(|_| wanted),
        })
    }
}

/// The instructions by pipe, and each after the line that it comes from.
pub(super) fn show_listing(listing: &[Instruction], source: &str) {
    out::line(&format!(
        "\n{} of machine code, by the pipe that executes them:",
        counted(listing.len() as u64, "instruction")
    ));
    by_pipe(listing).into_iter().for_each(|(pipe, count)| out::line(&format!("{count:>8}  {}", pipe.words())));
    let (places, lines) = (Places::of(source), source.lines().collect::<Vec<_>>());
    let mut last = None;
    for Instruction { address, labels, text, line } in listing {
        if last != Some(*line) {
            last = Some(*line);
            let shown = line.checked_sub(1).and_then(|at| lines.get(at as usize));
            out::line(&match shown {
                Some(shown) => format!("\n{:>6}  {}", places.line_name(*line), shown.trim_end()),
                None => "\n        (of no line)".to_owned(),
            });
        }
        labels.iter().for_each(|label| out::line(&format!("        {label}:")));
        out::line(&format!("        {address:04x}  {text}"));
    }
}
