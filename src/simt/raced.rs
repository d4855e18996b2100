//! A second look at a launch whose workgroups raced: it runs again, in order, until the lanes and lines are known.

use super::Program;
use super::code::{Code, Op};
use super::ir::Mem;
use super::memory::{Buffer, Words, atomics};
use super::observers::{Between, Findings, Nobody, Witness};
use super::workgroup::{Progress, Scene, Workgroup};
use crate::base::tensor::Tensor;
use crate::job::BindingKind;

/// What the buffers that a kernel both reads and writes hold before it runs; of others nothing, since it does not matter.
pub fn kept(code: &Code, program: &Program, tensors: &[Tensor]) -> Vec<Vec<u32>> {
    let read = |buffer: usize| {
        code.ops.iter().any(|op| match op {
            Op::Load { place, .. } | Op::LoadOne { place, .. } | Op::Atomic { place, .. } => {
                matches!(code.places[*place as usize].mem, Mem::Buffer(at) if usize::from(at) == buffer)
            }
            _ => false,
        })
    };
    let each = program.bindings().iter().zip(tensors).enumerate().map(|(i, (binding, tensor))| {
        if binding.kind == BindingKind::ReadWrite && read(i) { tensor.words.clone() } else { Vec::new() }
    });
    each.collect()
}

/// Names the lanes and lines of the races between workgroups, for the first part of each buffer that they race for. `kept` is what the buffers held before the
/// launch, which took `used` of its fuel.
pub fn name_races<const W: usize>(
    scene: &Scene<'_>,
    between: &Between,
    program: &Program,
    kept: Vec<Vec<u32>>,
    used: u64,
    findings: &mut Findings,
) {
    let again = Again { scene, program, kept: &kept, fuel: used.saturating_mul(2).saturating_add(1 << 20) };
    let mut raced = between.raced();
    let suspects = between.suspects();
    if !suspects.is_empty() {
        raced.extend(again.order_decides::<W>(&suspects, between.grain()));
    }
    if raced.is_empty() {
        return;
    }
    let mut witness = Witness::new(scene.variables, &raced, between.grain(), W as u32);
    again.run::<W>(scene.workgroups(), |run, workgroup, linear, fuel| {
        witness.start(linear);
        let how = workgroup.run(run, &mut witness, &mut Findings::default(), fuel);
        how == Progress::Done && !witness.is_done()
    });
    raced.iter().for_each(|(buffer, _)| findings.also_between_workgroups(*buffer));
    findings.add(witness.findings());
}

/// The same launch, once more.
struct Again<'a> {
    scene: &'a Scene<'a>,
    program: &'a Program,
    /// By binding, its words before the launch; empty where they do not matter.
    kept: &'a [Vec<u32>],
    fuel: u64,
}

impl Again<'_> {
    /// Runs workgroups one after another, each by `step`, until it says that it is enough; gives the buffers.
    fn run<const W: usize>(
        &self,
        order: impl Iterator<Item = u64>,
        mut step: impl FnMut(&Scene<'_>, &mut Workgroup<W>, u64, &mut u64) -> bool,
    ) -> Vec<Buffer<'_>> {
        let buffers = self.scene.buffers.iter().zip(self.kept).map(|(buffer, kept)| match buffer {
            Buffer::Read(words) => Buffer::Read(words),
            Buffer::Written(words) if kept.is_empty() => Buffer::Written(atomics(vec![0; words.len()])),
            Buffer::Written(_) => Buffer::Written(atomics(kept.clone())),
        });
        let buffers: Vec<Buffer<'_>> = buffers.collect();
        let run = Scene { buffers: &buffers, poisoned: &[], between: None, ..*self.scene };
        let mut workgroup = Workgroup::<W>::new(&run, self.program.shared_bytes());
        let mut fuel = self.fuel;
        for linear in order {
            workgroup.start(&run, linear);
            if !step(&run, &mut workgroup, linear, &mut fuel) {
                break;
            }
        }
        buffers
    }

    /// The first suspect of each buffer whose final value differs if the workgroups run in the opposite order. None of a launch that does not end so: its
    /// workgroups wait for each other.
    fn order_decides<const W: usize>(&self, suspects: &[(u16, u32)], grain: u32) -> Vec<(u16, u32)> {
        let mut ended = true;
        let mut step = |run: &Scene<'_>, workgroup: &mut Workgroup<W>, _: u64, fuel: &mut u64| {
            ended &= workgroup.run(run, &mut Nobody, &mut Findings::default(), fuel) == Progress::Done;
            ended
        };
        let forward = self.run(self.scene.workgroups(), &mut step);
        let backward = self.run(self.scene.workgroups().rev(), &mut step);
        if !ended {
            return Vec::new();
        }
        let word = |buffers: &[Buffer<'_>], (buffer, part): (u16, u32)| match &buffers[usize::from(buffer)] {
            Buffer::Written(words) => words.as_slice().word(part as usize * grain as usize / 4),
            Buffer::Read(words) => words.word(part as usize * grain as usize / 4),
        };
        let mut found: Vec<(u16, u32)> = Vec::new();
        for suspect in suspects {
            let known = found.iter().any(|(buffer, _)| *buffer == suspect.0);
            if !known && word(&forward, *suspect) != word(&backward, *suspect) {
                found.push(*suspect);
            }
        }
        found
    }
}
