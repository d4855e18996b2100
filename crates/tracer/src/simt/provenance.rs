//! Provenance of an element. Nothing is kept of normal runs: the grid runs again while one element is watched, then the
//! workgroup that wrote it last runs once more and is recorded, and the record is walked backwards.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

use super::code::Code;
use super::ir::{Builtin, Mem, Variable, Width};
use super::memory::{self, Buffer, Words};
use super::observers::{Component, Findings, Nobody, Observer, Path, Taken, Target, Watch, Write};
use super::slice::{Found, Slice, slice};
use super::workgroup::{Progress, Scene, Workgroup, warps};
use super::{Program, launch};
use crate::dispatch::{Asked, BindingKind, written_element};
use crate::trace::provenance::{Iteration, Load, MAX_LOADS, Word, Writer};
use crate::trace::{AccessKind, Provenance, Space};
use warpbook_base::diag::Diagnostic;
use warpbook_base::half::f32_to_f16;
use warpbook_base::tensor::{Elem, Tensor};

/// Workgroups that one task runs one after another.
const CHUNK: u64 = 32;

/// The element that is asked about, and how to run the program.
#[derive(Clone, Debug)]
pub struct Question {
    /// The buffer's name in the source.
    pub buffer: String,
    /// Which of its words of 32 bits, from 0: of a vector, a matrix or a struct each component is one. Of a buffer that
    /// begins with a 16-bit float, which of its 16-bit elements.
    pub index: u64,
    /// Lanes in a warp: 8, 16, 32 or 64.
    pub warp_width: u32,
    /// Warp instructions that a run may take.
    pub fuel: u64,
}

/// Finds out where an element comes from when `program` runs over `grid` on `buffers`, which are in the order of
/// [`Program::bindings`] and are left as they are.
///
/// # Errors
/// A buffer that does not exist or is only read, an index past its end, what [`super::run`] refuses, and a run that
/// does not end or is cancelled.
pub fn explain(
    program: &Program,
    buffers: &[Tensor],
    grid: [u32; 3],
    question: &Question,
    cancel: &AtomicBool,
) -> Result<Provenance, Diagnostic> {
    program.check_buffers(buffers)?;
    launch::check_grid(grid)?;
    let target = target(program, buffers, question)?;
    let own = program.own_contents();
    let all = if own.is_empty() { Vec::new() } else { buffers.iter().cloned().chain(own).collect() };
    let tensors = if all.is_empty() { buffers } else { &all };
    let run = Rerun { program, tensors, grid, question, target, cancel };
    match question.warp_width {
        8 => run.explain::<8>(),
        16 => run.explain::<16>(),
        32 => run.explain::<32>(),
        64 => run.explain::<64>(),
        other => Err(Diagnostic::error(format!("a warp cannot have {other} lanes")).hint("choose 8, 16, 32 or 64")),
    }
}

/// The word that a question is about.
fn target(program: &Program, buffers: &[Tensor], question: &Question) -> Result<Target, Diagnostic> {
    let asked = program.bindings().iter().zip(buffers).map(|(binding, tensor)| Asked {
        name: &binding.name,
        written: binding.kind == BindingKind::ReadWrite,
        elements: tensor.len() as u64,
        bytes: tensor.elem.bytes(),
    });
    let position = written_element(&asked.collect::<Vec<_>>(), &question.buffer, question.index);
    let position = position.map_err(|problem| problem.in_file(&program.file))?;
    let bytes = buffers[position].elem.bytes();
    let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    Ok(Target {
        buffer: u16::try_from(position).unwrap_or(u16::MAX),
        byte: small(question.index * bytes),
        bytes: small(bytes),
    })
}

struct Rerun<'a> {
    program: &'a Program,
    tensors: &'a [Tensor],
    grid: [u32; 3],
    question: &'a Question,
    target: Target,
    cancel: &'a AtomicBool,
}

impl Rerun<'_> {
    fn explain<const W: usize>(&self) -> Result<Provenance, Diagnostic> {
        let program = self.program;
        let code = launch::code_for::<W>(program, self.tensors, &[])?;
        let mut tensors = self.tensors.to_vec();
        let buffers = memory::open(&program.all_bindings(), &mut tensors);
        let (writes, last) = self.find::<W>(&self.scene(&code, &buffers))?;
        let elem = self.tensors[usize::from(self.target.buffer)].elem;
        // Of a struct of both widths, the component that was written says how wide it is.
        let (byte, elem) = match last.map(|write| write.component) {
            Some(Component { byte, width: Width::Half }) => (byte, Elem::F16),
            Some(Component { byte, width: Width::Short | Width::Byte }) => (byte, elem),
            Some(Component { byte, width: Width::Word }) if elem == Elem::F16 => (byte, Elem::U32),
            Some(Component { byte, .. }) => (byte, elem),
            None => (self.target.byte, elem),
        };
        let together = self.word(&buffers, byte);
        drop(buffers);
        let traced = last.map(|write| self.trace_back::<W>(&code, writes, write, byte)).transpose()?;
        // If workgroups store to one place, which comes last in a parallel run is chance: the last by number represents it.
        let word = match &traced {
            Some((writer, word)) if writer.kind == AccessKind::Store => *word,
            _ => together,
        };
        let bits = if elem == Elem::F16 { (word >> (byte % 4 * 8)) & 0xFFFF } else { word };
        Ok(Provenance {
            buffer: self.question.buffer.clone(),
            index: self.question.index,
            byte: byte.into(),
            value: Word { bits, elem },
            writer: traced.map(|(writer, _)| writer),
        })
    }

    /// The word of the buffer in question that `byte` lies in.
    fn word(&self, buffers: &[Buffer<'_>], byte: u32) -> u32 {
        match &buffers[usize::from(self.target.buffer)] {
            Buffer::Read(words) => words.word(byte as usize / 4),
            Buffer::Written(words) => words.as_slice().word(byte as usize / 4),
        }
    }

    fn scene<'s>(&'s self, code: &'s Code, buffers: &'s [Buffer<'s>]) -> Scene<'s> {
        Scene {
            code,
            variables: &self.program.ir.variables,
            buffers,
            poisoned: &[],
            between: None,
            global: None,
            backward: false,
            stored: None,
            size: self.program.workgroup_size(),
            grid: self.grid,
            cancel: self.cancel,
        }
    }

    /// Runs the whole grid: how often the word is written, and by whom last.
    fn find<const W: usize>(&self, scene: &Scene<'_>) -> Result<(u64, Option<Write>), Diagnostic> {
        let all = self.grid.into_iter().map(u64::from).product::<u64>();
        let fuel = AtomicU64::new(self.question.fuel);
        let watched = |part: Range<u64>| {
            let mut watch = Watch::new(scene.code, scene.buffers, self.target);
            self.workgroups::<W, _>(scene, part, &fuel, &mut watch, |watch, linear| watch.start(linear))?;
            Ok((watch.writes, watch.last))
        };
        if self.program.in_order {
            return watched(0..all);
        }
        let parts = (0..all.div_ceil(CHUNK)).into_par_iter();
        let later = |a: (u64, Option<Write>), b: (u64, Option<Write>)| {
            // Of writes by several workgroups the last one's counts as the last.
            Ok((a.0 + b.0, [a.1, b.1].into_iter().flatten().max_by_key(|w| w.workgroup)))
        };
        parts.map(|part| watched(part * CHUNK..all.min((part + 1) * CHUNK))).try_reduce(|| (0, None), later)
    }

    /// Runs the workgroups of `part` one after another; `start` tells the observer before each.
    fn workgroups<const W: usize, O: Observer>(
        &self,
        scene: &Scene<'_>,
        part: Range<u64>,
        fuel: &AtomicU64,
        observer: &mut O,
        start: impl Fn(&mut O, u64),
    ) -> Result<(), Diagnostic> {
        let mut workgroup = Workgroup::<W>::new(scene, self.program.shared_bytes());
        for linear in part {
            workgroup.start(scene, linear);
            start(observer, linear);
            let given = fuel.load(Ordering::Relaxed);
            let mut left = given;
            let progress = match self.cancel.load(Ordering::Relaxed) {
                true => Progress::Cancelled,
                false => workgroup.run(scene, observer, &mut Findings::default(), &mut left),
            };
            let used = given - left;
            // Others take from the same; it never goes below zero.
            let _ = fuel.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |fuel| Some(fuel.saturating_sub(used)));
            match progress {
                Progress::Done => {}
                Progress::Waits => {
                    let mut problem = Diagnostic::error(
                        "workgroups of this launch wait for others, and such a launch cannot be followed back",
                    )
                    .in_file(&self.program.file);
                    if let Some(place) = &mut problem.place {
                        place.line = workgroup.line(scene.code);
                    }
                    return Err(problem);
                }
                Progress::OutOfFuel => {
                    let mut problem = Diagnostic::error(format!(
                        "the run was stopped after {} warp instructions, so it is not known what it would have written",
                        self.question.fuel
                    ))
                    .in_file(&self.program.file)
                    .hint("does this loop end?");
                    if let Some(place) = &mut problem.place {
                        place.line = workgroup.line(scene.code);
                    }
                    return Err(problem);
                }
                Progress::Cancelled => return Err(Diagnostic::error("the question was withdrawn")),
            }
        }
        Ok(())
    }

    /// Runs the workgroup of the last write again, on memory as it found it, and walks back through what it did. Also gives
    /// the word that `byte` lies in as it left it.
    fn trace_back<const W: usize>(
        &self,
        code: &Code,
        writes: u64,
        last: Write,
        byte: u32,
    ) -> Result<(Writer, u32), Diagnostic> {
        let mut tensors = self.tensors.to_vec();
        let buffers = memory::open(&self.program.all_bindings(), &mut tensors);
        let scene = self.scene(code, &buffers);
        let fuel = AtomicU64::new(self.question.fuel);
        if self.program.in_order {
            self.workgroups::<W, _>(&scene, 0..last.workgroup, &fuel, &mut Nobody, |_, _| {})?;
        }
        let count = warps(scene.size, W);
        let watch = Watch::new(code, &buffers, self.target);
        let mut path = Path::new(code, watch, count, last.number);
        self.workgroups::<W, _>(&scene, last.workgroup..last.workgroup + 1, &fuel, &mut path, |_, _| {})?;
        let walked = slice(code, &buffers, &path, &last, self.target.buffer, count);
        Ok((self.told::<W>(code, &path, walked, (writes, last)), self.word(&buffers, byte)))
    }

    /// The walk's outcome as data that names things.
    fn told<const W: usize>(
        &self,
        code: &Code,
        path: &Path<'_>,
        walked: Slice,
        (writes, last): (u64, Write),
    ) -> Writer {
        let mut found: Vec<Load> = walked.found.iter().map(|f| self.load(code, path, f)).collect();
        found.reverse();
        let (mut through, mut loads): (Vec<Load>, Vec<Load>) =
            found.into_iter().partition(|load| load.stored_by.is_some());
        let mut omitted = walked.omitted;
        for list in [&mut loads, &mut through] {
            let over = list.len().saturating_sub(MAX_LOADS);
            omitted += over as u64;
            list.drain(..over);
        }
        let size = self.program.workgroup_size();
        let local = last.warp * W as u32 + last.lane;
        let [x, y, _] = self.grid.map(u64::from);
        let part = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        Writer {
            workgroup: last.workgroup,
            workgroup_id: [part(last.workgroup % x), part(last.workgroup / x % y), part(last.workgroup / (x * y))],
            warp: last.warp,
            lane: last.lane,
            local_id: [local % size[0], local / size[0] % size[1], local / (size[0] * size[1])],
            line: code.lines[last.pc],
            iterations: path.backwards().next().map(|taken| iterations(path, &taken)).unwrap_or_default(),
            kind: match code.ops[last.pc] {
                super::code::Op::Atomic { .. } | super::code::Op::AtomicWords { .. } => AccessKind::Atomic,
                _ => AccessKind::Store,
            },
            writes,
            loads,
            through,
            builtins: walked.builtins.into_iter().map(name).collect(),
            omitted,
            complete: !path.is_cut(),
        }
    }

    fn load(&self, code: &Code, path: &Path<'_>, found: &Found) -> Load {
        let place = &code.places[found.place as usize];
        let variable: &Variable = &self.program.ir.variables[usize::from(place.variable)];
        let (space, elem) = match place.mem {
            Mem::Buffer(buffer) => (variable.space, self.tensors[usize::from(buffer)].elem),
            Mem::Shared | Mem::Local => (Space::Shared, variable.elem),
        };
        let bits = found.bits.unwrap_or_else(|| path.loaded(&found.taken, found.lane, found.part));
        // In a register a half is the float of the same value.
        let value = match place.width {
            Width::Half => Word { bits: u32::from(f32_to_f16(f32::from_bits(bits))), elem: Elem::F16 },
            Width::Word | Width::Short | Width::Byte => Word { bits, elem },
        };
        Load {
            buffer: variable.name.clone(),
            space,
            index: u64::from(found.address - variable.base) / elem.bytes(),
            byte: (found.address - variable.base).into(),
            value,
            role: found.role,
            warp: found.taken.warp,
            lane: found.lane,
            line: place.line,
            iterations: iterations(path, &found.taken),
            stored_by: found.stored_by,
        }
    }
}

fn iterations(path: &Path<'_>, taken: &Taken) -> Vec<Iteration> {
    path.rounds(taken).map(|(line, round)| Iteration { line, round }).collect()
}

/// A built-in as WGSL names it.
fn name(builtin: Builtin) -> String {
    let axis = |axis: u8| ["x", "y", "z"].get(usize::from(axis)).copied().unwrap_or("?");
    match builtin {
        Builtin::LocalIndex => "local_invocation_index".to_owned(),
        Builtin::LocalId(a) => format!("local_invocation_id.{}", axis(a)),
        Builtin::GlobalId(a) => format!("global_invocation_id.{}", axis(a)),
        Builtin::WorkgroupId(a) => format!("workgroup_id.{}", axis(a)),
        Builtin::NumWorkgroups(a) => format!("num_workgroups.{}", axis(a)),
        Builtin::Lane => "subgroup_invocation_id".to_owned(),
        Builtin::Warp => "subgroup_id".to_owned(),
        Builtin::WarpWidth => "subgroup_size".to_owned(),
        Builtin::WarpCount => "num_subgroups".to_owned(),
    }
}
