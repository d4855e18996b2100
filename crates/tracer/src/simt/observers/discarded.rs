//! Follows the values of loads that went out of bounds, or that read what was never written, to see whether any is
//! used: stored, an index, or the condition of a branch.
//!
//! A value is followed lane by lane through registers and a lane's own arrays. A `select` takes over only the value
//! that it chose, and an integer product or bitwise and with zero takes over none.

use super::{Observer, Step};
use crate::simt::code::{Code, Index, Mention, NONE, Op, Place};
use crate::simt::collective::What;
use crate::simt::ir::Mem;
use crate::simt::lanes::lanes_of;
use crate::simt::ops::{Binary, Src, Ternary};

/// Lines that are followed at most: one bit each.
pub const MAX_LINES: usize = 64;

/// Follows the values of one workgroup after another.
pub struct Discarded<'a> {
    code: &'a Code,
    /// The lines whose loads are followed; bit i of a set is line i.
    lines: Vec<u32>,
    width: usize,
    warp: usize,
    /// By warp, the lines whose values are in each scalar register.
    scalars: Vec<Vec<u64>>,
    /// By warp, the same of each lane of each vector register and each row of local memory.
    vectors: Vec<Vec<u64>>,
    /// By part of workgroup memory, of the bytes of the narrowest access, whether the workgroup stored to it.
    stored: Vec<bool>,
    /// By buffer, whether words of it were never written.
    poisoned: Vec<bool>,
    used: u64,
}

impl<'a> Discarded<'a> {
    /// For workgroups of `warps` warps with `width` lanes, and the loads at `lines`.
    pub fn new(code: &'a Code, lines: Vec<u32>, (warps, width): (usize, usize), poisoned: Vec<bool>) -> Self {
        let rows = (code.vectors + code.local_words) as usize;
        Self {
            code,
            lines,
            width,
            warp: 0,
            scalars: vec![vec![0; code.scalars as usize]; warps],
            vectors: vec![vec![0; rows * width]; warps],
            stored: Vec::new(),
            poisoned,
            used: 0,
        }
    }

    /// Another workgroup begins.
    pub fn start(&mut self) {
        self.scalars.iter_mut().chain(&mut self.vectors).for_each(|registers| registers.fill(0));
        self.stored.clear();
    }

    /// Whether values of all lines are used, so that there is nothing left to find out.
    pub fn is_done(&self) -> bool {
        self.used.count_ones() as usize == self.lines.len()
    }

    /// The lines of which no value was used.
    pub fn unused(&self) -> Vec<u32> {
        let lines = self.lines.iter().enumerate();
        lines.filter(|(i, _)| self.used >> i & 1 == 0).map(|(_, line)| *line).collect()
    }

    fn bit(&self, line: u32) -> u64 {
        self.lines.iter().position(|known| *known == line).map_or(0, |i| 1 << i)
    }

    fn scalar(&mut self, reg: u32) -> &mut u64 {
        &mut self.scalars[self.warp][reg as usize]
    }

    fn vector(&mut self, reg: u32, lane: u32) -> &mut u64 {
        &mut self.vectors[self.warp][reg as usize * self.width + lane as usize]
    }

    fn operand(&mut self, src: Src, lane: u32) -> u64 {
        if src.is_scalar() { *self.scalar(src.reg()) } else { *self.vector(src.reg(), lane) }
    }

    /// The indices of an access are used.
    fn index(&mut self, place: &Place, mask: u64) {
        for term in &place.terms {
            self.used |= match term.index {
                Index::One(reg) => *self.scalar(reg),
                Index::Linear { base, step } => *self.scalar(base) | *self.scalar(step),
                Index::Lanes(reg) => lanes_of(mask).fold(0, |all, lane| all | *self.vector(reg, lane)),
            };
        }
    }

    /// The value that a lane loads: of the load's own line if it is out of bounds, or may never have been written.
    fn loaded(&mut self, place: &Place, step: &Step<'_>, lane: u32) -> u64 {
        match step.address(place, lane) {
            None => self.bit(place.line),
            Some(address) if place.mem == Mem::Local => *self.vector(self.code.vectors + address / 4, lane),
            Some(address) => {
                let is_known = match place.mem {
                    Mem::Buffer(buffer) => !self.poisoned.get(usize::from(buffer)).is_some_and(|is| *is),
                    _ => self.parts(place, address).all(|part| self.stored.get(part) == Some(&true)),
                };
                if is_known { 0 } else { self.bit(place.line) }
            }
        }
    }

    /// The parts of an access at `address`.
    fn parts(&self, place: &Place, address: u32) -> std::ops::RangeInclusive<usize> {
        let grain = self.code.grain();
        (address / grain) as usize..=((address + place.bytes() - 1) / grain) as usize
    }

    /// A lane stores to workgroup memory.
    fn stores(&mut self, place: &Place, address: u32) {
        for part in self.parts(place, address) {
            if self.stored.len() <= part {
                self.stored.resize(part + 1, false);
            }
            self.stored[part] = true;
        }
    }

    fn store(&mut self, place: &Place, src: &[Src; 4], step: &Step<'_>) {
        self.index(place, step.mask);
        for lane in lanes_of(step.mask) {
            let Some(address) = step.address(place, lane) else {
                // A store out of bounds is a finding of its own.
                self.used |= self.bit(place.line);
                continue;
            };
            for src in &src[..usize::from(place.components)] {
                let value = self.operand(*src, lane);
                if place.mem == Mem::Local {
                    *self.vector(self.code.vectors + address / 4, lane) = value;
                } else {
                    self.used |= value;
                }
            }
            if place.mem == Mem::Shared {
                self.stores(place, address);
            }
        }
    }

    /// An operation on registers: its result has the values of all that it reads.
    fn compute(&mut self, mut op: Op, lanes: u64) {
        let (mut one, mut read) = (0, Vec::new());
        op.mentions(&mut [], &mut [], &mut |mention| match mention {
            Mention::ReadOne(reg) => one |= *self.scalar(*reg),
            Mention::Read(reg) => read.push(*reg),
            Mention::WriteOne(_) | Mention::Write(_) => {}
        });
        op.mentions(&mut [], &mut [], &mut |mention| match mention {
            Mention::WriteOne(reg) => *self.scalar(*reg) = one,
            Mention::Write(reg) => {
                for lane in lanes_of(lanes) {
                    *self.vector(*reg, lane) = read.iter().fold(one, |all, reg| all | *self.vector(*reg, lane));
                }
            }
            Mention::ReadOne(_) | Mention::Read(_) => {}
        });
    }

    /// Lanes of an operation: the active ones, or all.
    fn written(&self, masked: bool, mask: u64) -> u64 {
        if masked { mask } else { u64::MAX >> (64 - self.width) }
    }

    fn select(&mut self, dst: u32, [cond, yes, no]: [Src; 3], lanes: u64, step: &Step<'_>) {
        for lane in lanes_of(lanes) {
            let chosen = if step.operand(cond, lane) != 0 { yes } else { no };
            *self.vector(dst, lane) = self.operand(cond, lane) | self.operand(chosen, lane);
        }
    }

    /// A product or an and: zero times anything is zero.
    fn absorb(&mut self, dst: u32, [a, b]: [Src; 2], lanes: u64, step: &Step<'_>) {
        for lane in lanes_of(lanes) {
            let (left, right) = (self.operand(a, lane), self.operand(b, lane));
            let zero = |src: Src, values: u64| values == 0 && step.operand(src, lane) == 0;
            *self.vector(dst, lane) = if zero(a, left) || zero(b, right) { 0 } else { left | right };
        }
    }
}

impl Observer for Discarded<'_> {
    const ACTIVE: bool = false;
    const STEPS: bool = true;

    fn warp(&mut self, warp: u32) {
        self.warp = warp as usize;
    }

    fn step(&mut self, step: &Step<'_>) {
        let code = self.code;
        let mask = step.mask;
        match code.ops[step.pc] {
            Op::LoadOne { place, dst } => {
                let place = &code.places[place as usize];
                self.index(place, mask);
                let value = self.loaded(place, step, mask.trailing_zeros());
                dst[..usize::from(place.components)].iter().for_each(|dst| *self.scalar(*dst) = value);
            }
            Op::Load { place, dst } => {
                let place = &code.places[place as usize];
                self.index(place, mask);
                for lane in lanes_of(mask) {
                    let value = self.loaded(place, step, lane);
                    dst[..usize::from(place.components)].iter().for_each(|dst| *self.vector(*dst, lane) = value);
                }
            }
            Op::Store { place, src } => self.store(&code.places[place as usize], &src, step),
            Op::Atomic { place, value, compare, old, done, .. } => {
                let place = &code.places[place as usize];
                self.index(place, mask);
                for lane in lanes_of(mask) {
                    self.used |=
                        self.operand(value, lane) | self.operand(compare, lane) | self.loaded(place, step, lane);
                    [old, done].into_iter().filter(|reg| *reg != NONE).for_each(|reg| *self.vector(reg, lane) = 0);
                }
            }
            Op::AtomicWords { place, operands, old, .. } => {
                let place = &code.places[place as usize];
                self.index(place, mask);
                for lane in lanes_of(mask) {
                    self.used |= operands.into_iter().fold(0, |all, src| all | self.operand(src, lane));
                    self.used |= self.loaded(place, step, lane);
                    old.into_iter().filter(|reg| *reg != NONE).for_each(|reg| *self.vector(reg, lane) = 0);
                }
            }
            Op::Clock { dst } => dst.iter().for_each(|dst| *self.scalar(*dst) = 0),
            Op::STri { op: Ternary::Select, dst, a, b, c } => {
                let chosen = if step.scalars[a as usize] != 0 { b } else { c };
                *self.scalar(dst) = *self.scalar(a) | *self.scalar(chosen);
            }
            Op::VTri { op: Ternary::Select, dst, a, b, c, masked } => {
                self.select(dst, [a, b, c], self.written(masked, mask), step);
            }
            Op::VBin { op: Binary::And | Binary::IMul, dst, a, b, masked } => {
                self.absorb(dst, [a, b], self.written(masked, mask), step);
            }
            op @ (Op::SUn { .. } | Op::SBin { .. } | Op::STri { .. }) => self.compute(op, mask),
            op @ (Op::VUn { masked, .. }
            | Op::VBin { masked, .. }
            | Op::VTri { masked, .. }
            | Op::Wide { masked, .. }
            | Op::Fill { masked, .. }
            | Op::Ramp { masked, .. }) => self.compute(op, self.written(masked, mask)),
            Op::Subgroup { op, dst, a, index, one } => {
                let lanes = if one { mask & mask.wrapping_neg() } else { mask };
                let results: Vec<(u32, u64)> = lanes_of(lanes)
                    .map(|lane| {
                        self.used |= if op.has_index() { self.operand(index, lane) } else { 0 };
                        let from = op.sources(lane, step.operand(index, lane), mask);
                        (lane, lanes_of(from).fold(0, |all, from| all | *self.vector(a, from)))
                    })
                    .collect();
                for (lane, value) in results {
                    for dst in &dst[..op.results()] {
                        *if one { self.scalar(*dst) } else { self.vector(*dst, lane) } = value;
                    }
                }
            }
            Op::Collective { id } => {
                let together = &code.collectives[id as usize];
                let factors = together.a.iter().chain(&together.b).chain(&together.c);
                let read = factors.fold(0, |all, reg| lanes_of(mask).fold(all, |all, l| all | *self.vector(*reg, l)));
                if together.what.multiplies() || matches!(together.what, What::Rearrange(_)) {
                    // Each result may come from any lane.
                    for reg in &together.d {
                        lanes_of(mask).for_each(|lane| *self.vector(*reg, lane) = read);
                    }
                    return;
                }
                self.used |= read;
                if let (What::Copy, Some(place)) = (together.what, together.place) {
                    let place = &code.places[place as usize];
                    for lane in lanes_of(mask) {
                        step.address(place, lane).into_iter().for_each(|address| self.stores(place, address));
                    }
                }
            }
            Op::ClearLocal { first, rows } => {
                for row in first..first + rows {
                    lanes_of(mask).for_each(|lane| *self.vector(code.vectors + row, lane) = 0);
                }
            }
            Op::JumpIf { cond, .. } => self.used |= *self.scalar(cond),
            Op::Split { cond, .. } | Op::LeaveIf { cond, .. } => {
                self.used |= lanes_of(mask).fold(0, |all, lane| all | *self.vector(cond, lane));
            }
            _ => {}
        }
    }
}
