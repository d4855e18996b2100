//! A second run of a launch, workgroup after workgroup, to name the lanes and lines of races between workgroups, and to see whether
//! values that were loaded out of bounds are used.

use super::Program;
use super::code::{Code, Op};
use super::collective::What;
use super::ir::Mem;
use super::memory::{Buffer, Words, atomics};
use super::observers::{Between, Discarded, Findings, MAX_LINES, Nobody, Witness};
use super::workgroup::{Progress, Scene, Workgroup, warps};
use crate::dispatch::BindingKind;
use crate::trace::{FindingKind, Note, NoteKind};
use warpbook_base::tensor::Tensor;

/// The initial contents of the buffers that a kernel both reads and writes; of others nothing, since it does not matter.
pub fn kept(code: &Code, program: &Program, tensors: &[Tensor]) -> Vec<Vec<u32>> {
    let read = |buffer: usize| {
        code.ops.iter().any(|op| match op {
            Op::Load { place, .. }
            | Op::LoadOne { place, .. }
            | Op::Atomic { place, .. }
            | Op::AtomicWords { place, .. } => {
                matches!(code.places[*place as usize].mem, Mem::Buffer(at) if usize::from(at) == buffer)
            }
            Op::Collective { id } => {
                let together = &code.collectives[*id as usize];
                let mem = together.place.map(|place| code.places[place as usize].mem);
                !together.what.stores() && matches!(mem, Some(Mem::Buffer(at)) if usize::from(at) == buffer)
            }
            _ => false,
        })
    };
    let bindings = program.all_bindings();
    let each = bindings.iter().zip(tensors).enumerate().map(|(i, (binding, tensor))| {
        if binding.kind == BindingKind::ReadWrite && read(i) { tensor.words.clone() } else { Vec::new() }
    });
    each.collect()
}

/// Fuel of a run that follows values, in warp instructions: such a run is some twenty times as slow.
const FOLLOWED: u64 = 1 << 25;

/// Workgroups that run side by side.
const ABREAST: usize = 64;

/// The same launch, once more.
pub struct Again<'a> {
    pub scene: &'a Scene<'a>,
    pub program: &'a Program,
    /// By binding, its words before the launch; empty where they do not matter.
    pub kept: &'a [Vec<u32>],
    /// The fuel that the launch used.
    pub used: u64,
}

impl Again<'_> {
    /// Names the lanes and lines of the races between workgroups, for the first part of each buffer that they race for.
    pub fn name_races<const W: usize>(&self, between: &Between, findings: &mut Findings) {
        let mut raced = between.raced();
        let suspects = between.suspects();
        if !suspects.is_empty() {
            raced.extend(self.order_decides::<W>(&suspects, between.grain()));
        }
        if raced.is_empty() {
            return;
        }
        let mut witness = Witness::new(self.scene.variables, &raced, between.grain(), W as u32);
        self.run::<W>(self.scene.workgroups(), |run, workgroup, linear, fuel| {
            witness.start(linear);
            let how = workgroup.run(run, &mut witness, &mut Findings::default(), fuel);
            how == Progress::Done && !witness.is_done()
        });
        raced.iter().for_each(|(buffer, _)| findings.also_between_workgroups(*buffer));
        findings.add(witness.findings());
    }

    /// Makes findings of loads out of bounds notes if no value of their line is stored, an index or a condition. A launch that would take
    /// too long to follow keeps its findings.
    pub fn unused_loads<const W: usize>(&self, findings: &mut Findings) -> Vec<Note> {
        let mut lines = findings.lines(FindingKind::OutOfBounds);
        lines.retain(|line| !self.moves_a_box(*line));
        if lines.is_empty() || lines.len() > MAX_LINES {
            return Vec::new();
        }
        let warps = warps(self.scene.size, W);
        let mut discarded = Discarded::new(self.scene.code, lines, warps, W);
        let outside = findings.outside().clone();
        let (mut followed, mut complete) = (0, true);
        self.run::<W>(self.scene.workgroups(), |run, workgroup, linear, fuel| {
            let before = *fuel;
            let how = if outside.contains(&linear) {
                discarded.start();
                let how = workgroup.run(run, &mut discarded, &mut Findings::default(), fuel);
                followed += before - *fuel;
                how
            } else if self.program.in_order {
                workgroup.run(run, &mut Nobody, &mut Findings::default(), fuel)
            } else {
                Progress::Done
            };
            complete = how == Progress::Done && followed <= FOLLOWED;
            complete && !discarded.is_done()
        });
        let unused = if complete { discarded.unused() } else { Vec::new() };
        let notes = unused.into_iter().flat_map(|line| {
            let is_load = |variable: Option<u16>| variable.is_none_or(|variable| !self.stores_to(line, variable));
            let messages = findings.remove(line, FindingKind::OutOfBounds, &is_load);
            messages.into_iter().map(move |message| Note {
                kind: NoteKind::UnusedLoad,
                line,
                message: format!("{message}; its value is not used"),
            })
        });
        notes.collect()
    }

    /// Whether a line stores to a variable, or changes it by an atomic.
    fn stores_to(&self, line: u32, variable: u16) -> bool {
        let code = self.scene.code;
        code.ops.iter().any(|op| match op {
            Op::Store { place, .. } | Op::Atomic { place, .. } | Op::AtomicWords { place, .. } => {
                let place = &code.places[*place as usize];
                // Arrays of a lane have no number.
                place.line == line && place.variable == variable && place.mem != Mem::Local
            }
            _ => false,
        })
    }

    /// Whether a line asks the copy engine for a box, which is never a value that is only loaded.
    fn moves_a_box(&self, line: u32) -> bool {
        let code = self.scene.code;
        code.ops.iter().zip(&code.lines).any(|(op, at)| match op {
            Op::Collective { id } => *at == line && matches!(code.collectives[*id as usize].what, What::Box(_)),
            _ => false,
        })
    }

    /// The buffers as they were before the launch.
    fn buffers(&self) -> Vec<Buffer<'_>> {
        let buffers = self.scene.buffers.iter().zip(self.kept).map(|(buffer, kept)| match buffer {
            Buffer::Read(words) => Buffer::Read(words),
            Buffer::Written(words) if kept.is_empty() => Buffer::Written(atomics(vec![0; words.len()])),
            Buffer::Written(_) => Buffer::Written(atomics(kept.clone())),
        });
        buffers.collect()
    }

    fn on<'s>(&'s self, buffers: &'s [Buffer<'s>]) -> Scene<'s> {
        Scene { buffers, poisoned: &[], between: None, stored: None, ..*self.scene }
    }

    fn fuel(&self) -> u64 {
        self.used.saturating_mul(2).saturating_add(1 << 20)
    }

    /// Runs workgroups one after another, each by `step`, until it says that it is enough; gives the buffers.
    fn run<const W: usize>(
        &self,
        order: impl Iterator<Item = u64>,
        mut step: impl FnMut(&Scene<'_>, &mut Workgroup<W>, u64, &mut u64) -> bool,
    ) -> Vec<Buffer<'_>> {
        let buffers = self.buffers();
        let run = self.on(&buffers);
        let mut workgroup = Workgroup::<W>::new(&run, self.program.shared_bytes());
        let mut fuel = self.fuel();
        for linear in order {
            workgroup.start(&run, linear);
            if !step(&run, &mut workgroup, linear, &mut fuel) {
                break;
            }
        }
        buffers
    }

    /// Runs workgroups side by side, each up to its next barrier in turn; gives the buffers, or None if they do not end.
    fn run_abreast<const W: usize>(&self) -> Option<Vec<Buffer<'_>>> {
        let buffers = self.buffers();
        let run = self.on(&buffers);
        let mut fuel = self.fuel();
        let all: Vec<u64> = self.scene.workgroups().collect();
        for some in all.chunks(ABREAST) {
            let started = some.iter().map(|linear| {
                let mut workgroup = Workgroup::<W>::new(&run, self.program.shared_bytes());
                workgroup.start(&run, *linear);
                workgroup
            });
            let mut running: Vec<Workgroup<W>> = started.collect();
            let mut ended = true;
            while !running.is_empty() && ended {
                running.retain_mut(|workgroup| {
                    let how = workgroup.run_to_barrier(&run, &mut Nobody, &mut Findings::default(), &mut fuel);
                    ended &= how.is_none_or(|how| how == Progress::Done);
                    how.is_none()
                });
            }
            if !ended {
                return None;
            }
        }
        Some(buffers)
    }

    /// The first suspect of each buffer whose final value differs if the workgroups run in the opposite order or side by side. Empty for a
    /// launch that does not end so: its workgroups wait for each other.
    fn order_decides<const W: usize>(&self, suspects: &[(u16, u32)], grain: u32) -> Vec<(u16, u32)> {
        let mut ended = true;
        let mut step = |run: &Scene<'_>, workgroup: &mut Workgroup<W>, _: u64, fuel: &mut u64| {
            ended &= workgroup.run(run, &mut Nobody, &mut Findings::default(), fuel) == Progress::Done;
            ended
        };
        let forward = self.run(self.scene.workgroups(), &mut step);
        let backward = self.run(self.scene.workgroups().rev(), &mut step);
        let Some(abreast) = self.run_abreast::<W>().filter(|_| ended) else { return Vec::new() };
        let word = |buffers: &[Buffer<'_>], (buffer, part): (u16, u32)| match &buffers[usize::from(buffer)] {
            Buffer::Written(words) => words.as_slice().word(part as usize * grain as usize / 4),
            Buffer::Read(words) => words.word(part as usize * grain as usize / 4),
        };
        let mut found: Vec<(u16, u32)> = Vec::new();
        for suspect in suspects {
            let known = found.iter().any(|(buffer, _)| *buffer == suspect.0);
            let first = word(&forward, *suspect);
            if !known && (first != word(&backward, *suspect) || first != word(&abreast, *suspect)) {
                found.push(*suspect);
            }
        }
        found
    }
}
