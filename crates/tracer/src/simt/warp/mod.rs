//! One warp: its registers, its lanes' mask, and the loop that executes operations.

mod access;
mod atomic;
mod boxes;
mod collective;
mod copies;
mod fragment;
mod matrix;
mod mbarriers;
mod narrow;
mod say;
mod surroundings;
mod wgmma;
mod whole;

use crate::simt::boxes::Reading;
use crate::simt::code::{Code, Given, Op};
use crate::simt::groups::Groups;
use crate::simt::ir::{Absent, Builtin};
use crate::simt::observers::{Exchanged, Observer, Step};
use crate::simt::ops::{Files, Src};
use crate::simt::subgroup::{Subgroup, is_active};
use crate::simt::wgmma::Pending;
use crate::simt::wide::{Wide, low};
use crate::trace::FindingKind;
use copies::Copy;

pub use surroundings::{Position, Surroundings, name_of};

/// Rounds of a loop that waits for others, after which these run.
const ROUNDS: u32 = 64;

/// Why a warp stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It waits at a barrier.
    Barrier,
    /// It waits at a barrier in shared memory.
    Waits,
    /// It waits at the barrier with this number.
    Named(u32),
    /// It goes on when others have had their turn.
    Yields,
    /// It has ended.
    Done,
    /// Its fuel does not last for the next block.
    OutOfFuel,
    /// It went round in a loop that waits for others.
    Spins,
    /// An assertion failed, or it is a trap: the kernel ends here.
    Trapped,
}

/// A warp of `W` lanes.
#[derive(Clone, Debug)]
pub struct Warp<const W: usize> {
    /// The next operation.
    pub pc: usize,
    /// Lanes that execute.
    pub mask: u64,
    /// Lanes that it started with.
    pub launched: u64,
    /// Lanes that have left the kernel.
    pub exited: u64,
    /// The lanes that are behind barriers, by these barriers' number.
    gone_on: Vec<u64>,
    pub(super) scalars: Vec<u32>,
    /// Registers, then rows of local memory.
    pub(super) vectors: Vec<[u32; W]>,
    pub(super) slots: Vec<u64>,
    /// Instructions that it executed.
    clock: u64,
    /// Rounds of loops that wait, since it last let others run.
    rounds: u32,
    /// The addresses of the present access.
    pub(super) addresses: [u32; W],
    /// Copies that have not landed.
    pub(super) copies: Groups<Copy<W>, W>,
    /// Boxes that may still be read from shared memory.
    pub(super) readings: Groups<Reading, W>,
    /// Products that may still read theirs.
    pub(super) products: Groups<Pending, W>,
}

impl<const W: usize> Warp<W> {
    /// The mask of all lanes.
    pub const FULL: u64 = u64::MAX >> (64 - W);

    /// A warp with room for the registers of `code`.
    pub fn new(code: &Code) -> Self {
        Self {
            pc: 0,
            mask: 0,
            launched: 0,
            exited: 0,
            gone_on: Vec::new(),
            scalars: vec![0; code.scalars as usize],
            vectors: vec![[0; W]; (code.vectors + code.local_words) as usize],
            slots: vec![0; code.slots as usize],
            clock: 0,
            rounds: 0,
            addresses: [0; W],
            copies: Groups::default(),
            readings: Groups::default(),
            products: Groups::default(),
        }
    }

    /// Goes back to the start, as warp number `warp` of workgroup `id` in `grid`.
    pub fn start(&mut self, code: &Code, warp: u32, size: [u32; 3], id: [u32; 3], grid: [u32; 3]) {
        let first = warp * W as u32;
        let lanes = (size[0] * size[1] * size[2]).saturating_sub(first).min(W as u32);
        (self.pc, self.clock, self.rounds) = (0, 0, 0);
        self.launched = if lanes == 0 { 0 } else { u64::MAX >> (64 - lanes) };
        (self.mask, self.exited) = (self.launched, 0);
        self.gone_on.clear();
        self.copies = Groups::default();
        self.readings = Groups::default();
        self.products = Groups::default();
        let builtin = |builtin: Builtin, lane: u32| {
            let linear = first + lane;
            let local = |axis: u8| match axis {
                0 => linear % size[0],
                1 => linear / size[0] % size[1],
                _ => linear / (size[0] * size[1]),
            };
            match builtin {
                Builtin::LocalIndex => linear,
                Builtin::LocalId(axis) => local(axis),
                Builtin::GlobalId(axis) => {
                    let i = usize::from(axis);
                    id[i].wrapping_mul(size[i]).wrapping_add(local(axis))
                }
                Builtin::WorkgroupId(axis) => id[usize::from(axis)],
                Builtin::NumWorkgroups(axis) => grid[usize::from(axis)],
                Builtin::Lane => lane,
                Builtin::Warp => warp,
                Builtin::WarpWidth => W as u32,
                Builtin::WarpCount => (size[0] * size[1] * size[2]).div_ceil(W as u32),
            }
        };
        for (reg, given) in self.scalars.iter_mut().zip(&code.given_scalars) {
            *reg = match *given {
                Given::Word(word) => word,
                Given::Builtin(b) => builtin(b, 0),
            };
        }
        for (reg, given) in self.vectors.iter_mut().zip(&code.given_vectors) {
            for (lane, value) in (0..).zip(reg) {
                *value = match *given {
                    Given::Word(word) => word,
                    Given::Builtin(b) => builtin(b, lane),
                };
            }
        }
    }

    /// Writes a vector register; if `masked`, only the active lanes of it.
    #[inline(always)]
    pub(super) fn set(&mut self, dst: u32, values: &[u32; W], masked: bool) {
        let dst = &mut self.vectors[dst as usize];
        if !masked || self.mask == Self::FULL {
            *dst = *values;
        } else {
            for (lane, (dst, value)) in dst.iter_mut().zip(values).enumerate() {
                let keep = ((self.mask >> lane) as u32 & 1).wrapping_sub(1);
                *dst = (*dst & keep) | (value & !keep);
            }
        }
    }

    fn files(&self) -> Files<'_, W> {
        Files { scalars: &self.scalars, vectors: &self.vectors }
    }

    /// The active lanes for which a vector register is not 0.
    pub(super) fn truth(&self, reg: u32) -> u64 {
        let mut bits = 0;
        for (half, values) in self.vectors[reg as usize].chunks(32).enumerate() {
            let word = (0..).zip(values).fold(0_u32, |word, (lane, value)| word | (u32::from(*value != 0) << lane));
            bits |= u64::from(word) << (32 * half);
        }
        bits & self.mask
    }

    /// Runs until something stops the warp.
    pub fn run<O: Observer>(&mut self, around: &mut Surroundings<'_, O>) -> Stop {
        let code = around.code;
        loop {
            let op = code.ops[self.pc];
            if O::STEPS {
                around.observer.step(&Step {
                    pc: self.pc,
                    mask: self.mask,
                    scalars: &self.scalars,
                    vectors: self.vectors.as_flattened(),
                    width: W,
                });
            }
            self.pc += 1;
            match op {
                Op::Enter(block) => {
                    let weight = u64::from(code.blocks[block as usize].weight);
                    if weight > around.fuel {
                        self.pc -= 1;
                        return Stop::OutOfFuel;
                    }
                    around.fuel -= weight;
                    self.clock += weight;
                    around.observer.block(block, self.mask);
                }
                Op::SUn { op, dst, a } => self.scalars[dst as usize] = op.scalar(self.scalars[a as usize]),
                Op::SBin { op, dst, a, b } => {
                    self.scalars[dst as usize] = op.scalar(self.scalars[a as usize], self.scalars[b as usize]);
                }
                Op::STri { op, dst, a, b, c } => {
                    let [a, b, c] = [a, b, c].map(|r| self.scalars[r as usize]);
                    self.scalars[dst as usize] = op.scalar(a, b, c);
                }
                Op::VUn { op, dst, a, masked } => {
                    let out = op.lanes(&self.vectors[a as usize]);
                    self.set(dst, &out, masked);
                }
                Op::VBin { op, dst, a, b, masked } => {
                    let out = op.lanes(self.files(), a, b);
                    self.set(dst, &out, masked);
                }
                Op::VTri { op, dst, a, b, c, masked } => {
                    let out = op.lanes(self.files(), a, b, c);
                    self.set(dst, &out, masked);
                }
                Op::Wide { wide, one, masked } => self.wide(&wide, one, masked),
                Op::Fill { dst, a, masked } => self.set(dst, &[self.scalars[a as usize]; W], masked),
                Op::Ramp { dst, base, step, masked } => {
                    let (base, step) = (self.scalars[base as usize], self.scalars[step as usize]);
                    let mut out = [0; W];
                    for (lane, out) in (0..).zip(&mut out) {
                        *out = base.wrapping_add(step.wrapping_mul(lane));
                    }
                    self.set(dst, &out, masked);
                }
                Op::LoadOne { place, dst } => self.load_one(place, &dst, around),
                Op::Load { place, dst } => self.load(place, &dst, around),
                Op::Store { place, src } => self.store(place, &src, around),
                Op::Atomic { op, place, value, compare, old, done } => {
                    self.atomic(op, place, [value, compare], [old, done], around);
                }
                Op::AtomicWords { op, place, operands, old } => {
                    self.atomic_words(op, place, operands, old, around);
                }
                Op::Clock { dst } => {
                    let now = self.clock;
                    (self.scalars[dst[0] as usize], self.scalars[dst[1] as usize]) = (low(now), low(now >> 32));
                }
                Op::Spin => {
                    self.rounds += 1;
                    if self.rounds == ROUNDS {
                        self.rounds = 0;
                        return Stop::Spins;
                    }
                }
                Op::GoesOn { number } => self.goes_on(usize::from(number)),
                Op::Subgroup { op, dst, a, index, one } => self.subgroup(op, &dst, (a, index), one, around),
                Op::Collective { id } => {
                    if let Some(stop) = self.collective(id, around) {
                        return stop;
                    }
                }
                Op::ClearLocal { first, rows } => {
                    // Many rows take as long as many instructions do, and fuel bounds time.
                    around.fuel = around.fuel.saturating_sub(u64::from(rows / 32));
                    for row in first..first + rows {
                        self.set(code.vectors + row, &[0; W], true);
                    }
                }
                Op::Switch { case } => {
                    let taken = if case.is_scalar() { self.mask } else { self.same_as_first(case) };
                    around.observer.branch(code.lines[self.pc - 1], self.mask, taken);
                }
                Op::Barrier(_) | Op::Vote { .. } => {
                    self.check_barrier(around);
                    return Stop::Barrier;
                }
                Op::Say { say } => {
                    if self.say(&code.says[say as usize], around) {
                        return Stop::Trapped;
                    }
                }
                Op::End => return Stop::Done,
                _ => self.go(op, around),
            }
        }
    }

    /// Executes an operation on 64-bit values.
    fn wide(&mut self, wide: &Wide<u32, Src>, one: bool, masked: bool) {
        let words = wide.op.words();
        if one {
            let value = |i: usize| {
                let word = |src: Src| u64::from(self.scalars[src.reg() as usize]);
                let [first, second] = wide.args[i];
                match words[i] {
                    0 => 0,
                    1 => word(first),
                    _ => word(first) | word(second) << 32,
                }
            };
            let out = wide.op.scalar(value(0), value(1), value(2));
            for (dst, word) in wide.writes().zip([low(out), low(out >> 32)]) {
                self.scalars[dst as usize] = word;
            }
            return;
        }
        let values = |i: usize| {
            let word = |src: Src, lane: usize| {
                let reg = src.reg() as usize;
                u64::from(if src.is_scalar() { self.scalars[reg] } else { self.vectors[reg][lane] })
            };
            let [first, second] = wide.args[i];
            match words[i] {
                0 => [0; W],
                1 => std::array::from_fn(|lane| word(first, lane)),
                _ => std::array::from_fn(|lane| word(first, lane) | word(second, lane) << 32),
            }
        };
        let out: [u64; W] = wide.op.lanes(&values(0), &values(1), &values(2));
        for (dst, shift) in wide.writes().zip([0, 32]) {
            self.set(dst, &out.map(|value| low(value >> shift)), masked);
        }
    }

    /// Executes control flow.
    #[inline(always)]
    fn go<O: Observer>(&mut self, op: Op, around: &mut Surroundings<'_, O>) {
        let line = |me: &Self, code: &Code| code.lines[me.pc - 1];
        match op {
            Op::Jump { to } => self.pc = to as usize,
            Op::JumpIf { cond, when, counted, to } => {
                let holds = self.scalars[cond as usize] != 0;
                if O::ACTIVE && counted {
                    let taken = if holds { self.mask } else { 0 };
                    around.observer.branch(line(self, around.code), self.mask, taken);
                }
                if holds == when {
                    self.pc = to as usize;
                }
            }
            Op::Split { cond, when, counted, slot, to } => {
                let taken = self.truth(cond);
                if O::ACTIVE && counted {
                    around.observer.branch(line(self, around.code), self.mask, taken);
                }
                let stay = if when { taken } else { self.mask & !taken };
                self.slots[slot as usize] = self.mask & !stay;
                self.mask = stay;
                self.unless_any(to);
            }
            Op::Swap { slot, to } => {
                std::mem::swap(&mut self.mask, &mut self.slots[slot as usize]);
                self.unless_any(to);
            }
            Op::Join { slot, to } => {
                self.mask |= std::mem::take(&mut self.slots[slot as usize]);
                self.unless_any(to);
            }
            Op::Clear { slot } => self.slots[slot as usize] = 0,
            Op::Leave { slot, to } => {
                self.slots[slot as usize] |= std::mem::take(&mut self.mask);
                self.pc = to as usize;
            }
            Op::LeaveIf { cond, slot } => {
                let taken = self.truth(cond);
                if O::ACTIVE {
                    around.observer.branch(line(self, around.code), self.mask, taken);
                }
                self.slots[slot as usize] |= taken;
                self.mask &= !taken;
            }
            Op::Again { to } if self.mask != 0 => {
                self.pc = to as usize;
            }
            Op::Exit { to } => {
                self.exited |= std::mem::take(&mut self.mask);
                self.pc = to as usize;
            }
            // Executed by the caller.
            _ => {}
        }
    }

    fn unless_any(&mut self, to: u32) {
        if self.mask == 0 {
            self.pc = to as usize;
        }
    }

    /// The active lanes with the first one's value.
    fn same_as_first(&self, src: Src) -> u64 {
        let values = &self.vectors[src.reg() as usize];
        let first = values[self.mask.trailing_zeros() as usize];
        crate::simt::lanes::lanes_of(self.mask)
            .filter(|l| values[*l as usize] == first)
            .fold(0, |bits, l| bits | 1 << l)
    }

    /// Exchanges values between lanes.
    fn subgroup<O: Observer>(
        &mut self,
        op: Subgroup,
        dst: &[u32; 4],
        (a, index): (u32, Src),
        one: bool,
        around: &mut Surroundings<'_, O>,
    ) {
        let values = self.vectors[a as usize];
        let indices = if index.is_scalar() {
            [self.scalars[index.reg() as usize]; W]
        } else {
            self.vectors[index.reg() as usize]
        };
        if op.has_index() {
            self.check_sources(op, &indices, around);
        }
        // Whether a shuffle found its lane is part of the shuffle.
        if O::ACTIVE && !matches!(op, Subgroup::InClamp { .. }) {
            let line = around.code.lines[self.pc - 1];
            around.observer.exchange(&Exchanged { line, mask: self.mask, op, indices: &indices });
        }
        if op == Subgroup::Ballot {
            for (dst, word) in dst.iter().zip(Subgroup::ballot(&values, self.mask)) {
                self.scalars[*dst as usize] = word;
            }
        } else if one {
            self.scalars[dst[0] as usize] = op.one(&values, self.mask, indices[0]);
        } else {
            let out = op.each(&values, self.mask, |lane| indices[lane as usize]);
            self.set(dst[0], &out, true);
        }
    }

    /// Reports the first lane that asks one that is not there: WGSL leaves open what it gets.
    fn check_sources<O: Observer>(&self, op: Subgroup, indices: &[u32; W], around: &mut Surroundings<'_, O>) {
        let wrong = crate::simt::lanes::lanes_of(self.mask)
            .map(|lane| (lane, op.source(lane, indices[lane as usize])))
            .filter(|(_, from)| !op.may_leave() || is_active(self.launched, *from))
            .find(|(_, from)| !is_active(self.mask, *from));
        let Some((lane, from)) = wrong else { return };
        around.report(around.code.lines[self.pc - 1], FindingKind::InactiveLane, |at, _| {
            format!(
                "lane {lane} asks for the value of lane {from}, which {}: what it gets is not defined (workgroup {}, \
                 warp {})",
                if from < W as u32 { "is not active here" } else { "does not exist" },
                at.workgroup,
                at.warp,
            )
        });
    }

    /// The active lanes go on behind the barriers with a number.
    fn goes_on(&mut self, number: usize) {
        self.gone_on.resize(self.gone_on.len().max(number + 1), 0);
        self.gone_on[number] |= self.mask;
    }

    /// The lanes that a barrier does not wait for.
    pub(in crate::simt) fn left(&self, absent: Absent) -> u64 {
        match absent {
            Absent::Wrong => 0,
            Absent::LeftBefore(number) => self.exited & !self.gone_on.get(usize::from(number)).unwrap_or(&0),
            Absent::Left => u64::MAX,
        }
    }

    pub(super) fn check_barrier<O: Observer>(&mut self, around: &mut Surroundings<'_, O>) {
        let line = around.code.lines[self.pc - 1];
        around.observer.barrier(line, self.mask);
        let absent = match around.code.ops[self.pc - 1] {
            Op::Barrier(orders) => orders.absent,
            Op::Vote { absent, .. } => absent,
            _ => Absent::Wrong,
        };
        let missing = self.launched & !self.mask & !self.left(absent);
        if missing != 0 {
            around.report(line, FindingKind::DivergentBarrier, |at, _| {
                format!(
                    "{} of {} lanes of warp {} do not reach this barrier, the first of them lane {} (workgroup {})",
                    missing.count_ones(),
                    self.launched.count_ones(),
                    at.warp,
                    missing.trailing_zeros(),
                    at.workgroup,
                )
            });
        }
    }
}
