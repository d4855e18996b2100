//! A second look at a launch whose workgroups raced: it runs again, in order, until it is known who.

use super::Program;
use super::code::{Code, Op};
use super::ir::Mem;
use super::memory::{Buffer, atomics};
use super::observers::{Between, Findings, Witness};
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

/// Who raced for the first part of each buffer that workgroups raced for, as findings at their lines. `kept` is what the buffers held.
pub fn who<const W: usize>(
    scene: &Scene<'_>,
    between: &Between,
    program: &Program,
    kept: Vec<Vec<u32>>,
    mut fuel: u64,
) -> Findings {
    let raced = between.raced();
    let mut witness = Witness::new(scene.variables, &raced, between.grain(), W as u32);
    if raced.is_empty() {
        return witness.findings();
    }
    let buffers = scene.buffers.iter().zip(kept).map(|(buffer, kept)| match buffer {
        Buffer::Read(words) => Buffer::Read(words),
        Buffer::Written(words) => Buffer::Written(atomics(if kept.is_empty() { vec![0; words.len()] } else { kept })),
    });
    let buffers: Vec<Buffer<'_>> = buffers.collect();
    let again = Scene { buffers: &buffers, poisoned: &[], between: None, stored: None, ..*scene };
    let mut workgroup = Workgroup::<W>::new(&again, program.shared_bytes());
    let all = scene.grid.into_iter().map(u64::from).product();
    for linear in 0..all {
        workgroup.start(&again, linear);
        witness.start(linear);
        let how = workgroup.run(&again, &mut witness, &mut Findings::default(), &mut fuel);
        if how != Progress::Done || witness.is_done() {
            break;
        }
    }
    witness.findings()
}
