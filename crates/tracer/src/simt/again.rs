//! A second run of a launch, workgroup after workgroup, to name the lanes and lines of races between workgroups, and to see whether
//! values that were loaded out of bounds are used.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use super::Program;
use super::code::{Code, Op};
use super::collective::What;
use super::ir::Mem;
use super::memory::{Buffer, Words, atomics};
use super::observers::{Discarded, Findings, Known, MAX_LINES, Nobody, Raced, Standing, Witness};
use super::workgroup::{Progress, Scene, Workgroup, warps};
use crate::dispatch::BindingKind;
use crate::trace::{FindingKind, Note, NoteKind};
use warpbook_base::tensor::{Elem, Tensor};

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
    /// Names the lanes and lines of the races between workgroups that were found, of each buffer the first, and answers whether the order of
    /// strong accesses changes the results.
    pub fn judge<const W: usize>(&self, known: Known<'_>, mut raced: Vec<Raced>, findings: &mut Findings) {
        let is_strong = |raced: &Raced| matches!(raced.standing, Standing::Word | Standing::Value | Standing::Mixed);
        let mut order_matters = false;
        if raced.iter().any(is_strong) || findings.has_questions() {
            let orders = self.orders::<W>();
            let differs = orders.as_ref().map(|orders| self.differ(orders));
            order_matters = differs == Some(true);
            let mut seen = Vec::new();
            raced.retain(|part| {
                let decides = match part.standing {
                    Standing::Word => orders.as_ref().is_some_and(|orders| differs_at(orders, *part, known.grain)),
                    Standing::Value => order_matters,
                    _ => return true,
                };
                let is_first = decides && !seen.contains(&part.buffer);
                seen.extend(is_first.then_some(part.buffer));
                is_first
            });
            findings.answer(differs);
        }
        if raced.is_empty() {
            return;
        }
        let mut witness = Witness::new(known, &raced, order_matters);
        self.run_in_turns::<W>(|run, workgroup, fuel| {
            witness.start(workgroup.linear);
            let how = workgroup.run(run, &mut witness, &mut Findings::default(), fuel);
            if witness.is_done() { Progress::Cancelled } else { how }
        });
        let races = raced.iter().filter(|part| !matches!(part.standing, Standing::Alike | Standing::Mixed));
        races.for_each(|part| findings.also_between_workgroups(part.buffer));
        findings.add(witness.findings());
    }

    /// Makes findings of loads notes if no value of their line is stored, an index or a condition: of those that read what was never written,
    /// and of WGSL's out of bounds, which are clamped. A launch that would take too long to follow keeps its findings.
    pub fn unused_loads<const W: usize>(&self, findings: &mut Findings) -> Vec<Note> {
        let is_ptx = self.program.ir.dialect.is_ptx();
        let outside = if is_ptx { Vec::new() } else { findings.lines(FindingKind::OutOfBounds) };
        let mut lines: Vec<u32> = findings.lines(FindingKind::Uninitialized).into_iter().chain(outside).collect();
        let boxes = self.lines_of_boxes();
        lines.retain(|line| !boxes.contains(line));
        lines.sort_unstable();
        lines.dedup();
        if lines.is_empty() || lines.len() > MAX_LINES {
            return Vec::new();
        }
        let warps = warps(self.scene.size, W);
        let poisoned = self.scene.poisoned.iter().map(|poisoned| !poisoned.0.is_empty()).collect();
        let mut discarded = Discarded::new(self.scene.code, lines, (warps, W), poisoned);
        let of = findings.followed().clone();
        let (mut followed, mut complete) = (0, true);
        self.run::<W>(self.scene.workgroups(), |run, workgroup, linear, fuel| {
            let before = *fuel;
            let how = if of.contains(&linear) {
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
        let mut notes = Vec::new();
        for line in unused {
            let is_load = |variable: Option<u16>| variable.is_none_or(|variable| !self.stores_to(line, variable));
            for (kind, note, of) in [
                (FindingKind::OutOfBounds, NoteKind::UnusedLoad, !is_ptx),
                (FindingKind::Uninitialized, NoteKind::UnusedRead, true),
            ] {
                let messages = if of { findings.remove(line, kind, &is_load) } else { Vec::new() };
                notes.extend(messages.into_iter().map(|message| Note {
                    kind: note,
                    line,
                    message: format!("{message}; its value is not used"),
                }));
            }
        }
        notes
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

    /// The lines that ask the copy engine for a box, which is never a value that is only loaded.
    fn lines_of_boxes(&self) -> FxHashSet<u32> {
        let code = self.scene.code;
        let is_box = |op: &Op| match op {
            Op::Collective { id } => matches!(code.collectives[*id as usize].what, What::Box(_)),
            _ => false,
        };
        code.ops.iter().zip(&code.lines).filter(|(op, _)| is_box(op)).map(|(_, line)| *line).collect()
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
        Scene { buffers, poisoned: &[], between: None, global: None, stored: None, ..*self.scene }
    }

    fn fuel(&self) -> u64 {
        self.used.saturating_mul(2).saturating_add(1 << 20)
    }

    /// Runs workgroups one after another, each by `step`, until it says that it is enough; gives the buffers.
    fn run<const W: usize>(
        &self,
        order: impl Iterator<Item = u64>,
        step: impl FnMut(&Scene<'_>, &mut Workgroup<W>, u64, &mut u64) -> bool,
    ) -> Vec<Buffer<'_>> {
        self.run_in(order, false, step)
    }

    /// The same; `backward`: the last warp of a workgroup comes first.
    fn run_in<const W: usize>(
        &self,
        order: impl Iterator<Item = u64>,
        backward: bool,
        mut step: impl FnMut(&Scene<'_>, &mut Workgroup<W>, u64, &mut u64) -> bool,
    ) -> Vec<Buffer<'_>> {
        let buffers = self.buffers();
        let run = Scene { backward, ..self.on(&buffers) };
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

    /// Runs workgroups one after another, and then those that wait for others in turns, each by `step`, until one neither ends nor waits.
    fn run_in_turns<const W: usize>(&self, mut step: impl FnMut(&Scene<'_>, &mut Workgroup<W>, &mut u64) -> Progress) {
        let buffers = self.buffers();
        let run = self.on(&buffers);
        let new = || Workgroup::<W>::new(&run, self.program.shared_bytes());
        let mut fuel = self.fuel();
        let (mut numbers, mut waiting, mut room) = (self.scene.workgroups(), VecDeque::new(), None);
        loop {
            let next = numbers.next().map(|linear| {
                let mut workgroup = room.take().unwrap_or_else(new);
                workgroup.start(&run, linear);
                workgroup
            });
            let Some(mut workgroup) = next.or_else(|| waiting.pop_front()) else { return };
            match step(&run, &mut workgroup, &mut fuel) {
                Progress::Done => room = Some(workgroup),
                Progress::Waits => waiting.push_back(workgroup),
                Progress::OutOfFuel | Progress::Cancelled => return,
            }
        }
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

    /// The buffers as the launch leaves them with its workgroups and their warps in order, in the opposite order, and side by side. None
    /// for a launch that does not end so: its workgroups wait for each other.
    fn orders<const W: usize>(&self) -> Option<[Vec<Buffer<'_>>; 3]> {
        let mut ended = true;
        let mut step = |run: &Scene<'_>, workgroup: &mut Workgroup<W>, _: u64, fuel: &mut u64| {
            ended &= workgroup.run(run, &mut Nobody, &mut Findings::default(), fuel) == Progress::Done;
            ended
        };
        let forward = self.run_in::<W>(self.scene.workgroups(), false, &mut step);
        let backward = self.run_in::<W>(self.scene.workgroups().rev(), true, &mut step);
        let abreast = self.run_abreast::<W>().filter(|_| ended)?;
        Some([forward, backward, abreast])
    }

    /// Whether the contents of a buffer depend on the order. The sums of floats do in their last bits, which does not count.
    fn differ(&self, [first, others @ ..]: &[Vec<Buffer<'_>>; 3]) -> bool {
        let same = |elem: Elem, a: u32, b: u32| {
            let [x, y] = [a, b].map(f32::from_bits);
            a == b || elem == Elem::F32 && (x - y).abs() <= ROUNDING * x.abs().max(y.abs())
        };
        let pairs = others.iter().flat_map(|other| first.iter().zip(other).zip(self.scene.variables));
        pairs.into_iter().any(|((a, b), variable)| match (a, b) {
            (Buffer::Written(a), Buffer::Written(b)) => {
                (0..a.len()).any(|i| !same(variable.elem, a.as_slice().word(i), b.as_slice().word(i)))
            }
            _ => false,
        })
    }
}

/// The facts about a launch that its checks start from.
pub fn known<'s>(scene: &'s Scene<'s>, program: &Program, width: u32) -> Known<'s> {
    Known {
        variables: scene.variables,
        buffers: scene.buffers,
        poisoned: scene.poisoned,
        between: scene.between,
        stored: scene.stored,
        in_order: program.in_order,
        global: scene.global,
        code: scene.code,
        shared_bytes: program.shared_bytes(),
        threads: program.workgroup_size().iter().product(),
        grain: scene.code.grain(),
        width,
        cooperative: program.ir.cooperative,
        subgroup_barrier: program.ir.subgroup_barrier,
        dialect: program.ir.dialect,
    }
}

/// The relative difference of float sums that another order of their terms explains.
const ROUNDING: f32 = 1e-3;

/// Whether a part of a buffer depends on the order.
fn differs_at([first, others @ ..]: &[Vec<Buffer<'_>>; 3], part: Raced, grain: u32) -> bool {
    let word = |buffers: &[Buffer<'_>]| match &buffers[usize::from(part.buffer)] {
        Buffer::Written(words) => words.as_slice().word(part.index as usize * grain as usize / 4),
        Buffer::Read(words) => words.word(part.index as usize * grain as usize / 4),
    };
    others.iter().any(|other| word(other) != word(first))
}
