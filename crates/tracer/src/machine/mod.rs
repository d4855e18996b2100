//! A kernel's machine code: what it takes of a processor, as `ptxas` reports it, and its instructions with the lines that they come
//! from, as `nvdisasm` shows them.

mod figures;
mod kept;
mod listing;
mod pipes;

use std::collections::BTreeMap;

use serde::Serialize;

pub use figures::MachineCode;
pub use kept::kept;
pub use listing::instructions;
pub use pipes::{Pipe, pipe};

/// An instruction of machine code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Instruction {
    /// Its address in the kernel, in bytes.
    pub address: u32,
    /// The labels before it, which jumps name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The instruction as `nvdisasm` writes it, such as `@!P0 LDG.E R0, desc[UR6][R2.64]`.
    pub text: String,
    /// The line of the kernel's text that it comes from, counted on through its parts; 0 if it comes from none.
    pub line: u32,
}

impl Instruction {
    /// Its operation without modifiers, such as `LDG`.
    #[must_use]
    pub fn opcode(&self) -> &str {
        let after_predicate = self.text.split(' ').find(|word| !word.starts_with('@'));
        after_predicate.unwrap_or_default().split('.').next().unwrap_or_default()
    }
}

/// The comments with which PTX keeps its kernel's machine code, as [`kept`] reads them; `log` is ptxas'.
#[must_use]
pub fn comments(log: &str, entry: &str, listing: &[Instruction]) -> String {
    format!("{}{}", MachineCode::comments(log), kept::comments(entry, listing))
}

/// The number of instructions by the pipe that executes them, each counted once, however often it runs.
#[must_use]
pub fn by_pipe(listing: &[Instruction]) -> BTreeMap<Pipe, u64> {
    let mut counts = BTreeMap::new();
    for instruction in listing {
        *counts.entry(pipe(instruction.opcode())).or_default() += 1;
    }
    counts
}
