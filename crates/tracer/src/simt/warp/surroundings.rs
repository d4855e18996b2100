//! Everything around a warp that it works with.

use crate::simt::code::{Code, Place};
use crate::simt::engine::Engine;
use crate::simt::ir::{Mem, Variable};
use crate::simt::memory::Buffer;
use crate::simt::observers::Findings;
use crate::trace::FindingKind;

/// Where in the grid something happens.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// Linear index of the workgroup.
    pub workgroup: u64,
    /// Warp within it.
    pub warp: u32,
}

/// Everything around a warp that it works with.
pub struct Surroundings<'a, O> {
    pub code: &'a Code,
    pub variables: &'a [Variable],
    pub buffers: &'a [Buffer<'a>],
    pub shared: &'a mut [u32],
    pub engine: &'a mut Engine,
    pub observer: &'a mut O,
    pub findings: &'a mut Findings,
    pub at: Position,
    /// Instructions that may still be executed.
    pub fuel: u64,
}

impl<O> Surroundings<'_, O> {
    /// Reports something wrong; `message` gets the warp's position and the program's variables.
    pub fn report(&mut self, line: u32, kind: FindingKind, message: impl FnOnce(Position, &[Variable]) -> String) {
        let (at, variables) = (self.at, self.variables);
        self.findings.report(line, kind, || message(at, variables));
    }
}

/// A place's variable, for people.
pub fn name_of(place: &Place, variables: &[Variable]) -> String {
    match (place.mem, variables.get(usize::from(place.variable))) {
        (Mem::Buffer(_) | Mem::Shared, Some(variable)) => format!("`{}`", variable.name),
        _ => "an array".to_owned(),
    }
}
