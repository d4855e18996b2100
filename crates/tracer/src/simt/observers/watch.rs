//! Watches some bytes of one buffer, which are one element: who wrote it last, and how often it was written.

use super::{Observer, Step};
use crate::simt::boxes::SIZE;
use crate::simt::code::{Code, Op};
use crate::simt::collective::What;
use crate::simt::ir::{Mem, Width};
use crate::simt::lanes::lanes_of;
use crate::simt::memory::{Buffer, Words, atomic_result};

/// The element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The buffer, by binding.
    pub buffer: u16,
    /// Its first byte.
    pub byte: u32,
    /// How many it takes.
    pub bytes: u32,
}

impl Target {
    /// Whether any of the `bytes` from `address` on is one of its own.
    fn overlaps(self, address: u32, bytes: u32) -> bool {
        address < self.byte + self.bytes && self.byte < address + bytes
    }
}

/// A component in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its first byte.
    pub byte: u32,
    pub width: Width,
}

/// A write to the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// Linear index of the workgroup.
    pub workgroup: u64,
    pub warp: u32,
    pub lane: u32,
    /// The operation.
    pub pc: usize,
    /// The component of the element that it wrote: the first, if there are two.
    pub component: Component,
    /// Which write of the workgroup to the element it is, from 1.
    pub number: u64,
}

/// Sees every write to the element, of workgroups that run one after another.
pub struct Watch<'a> {
    code: &'a Code,
    buffers: &'a [Buffer<'a>],
    target: Target,
    workgroup: u64,
    warp: u32,
    /// Writes of the present workgroup.
    number: u64,
    /// Writes altogether.
    pub writes: u64,
    /// The last of them.
    pub last: Option<Write>,
}

impl<'a> Watch<'a> {
    /// Nothing was seen yet.
    pub fn new(code: &'a Code, buffers: &'a [Buffer<'a>], target: Target) -> Self {
        Self { code, buffers, target, workgroup: 0, warp: 0, number: 0, writes: 0, last: None }
    }

    /// Begins workgroup number `linear`, which does what follows.
    pub fn start(&mut self, linear: u64) {
        (self.workgroup, self.number) = (linear, 0);
    }

    fn wrote(&mut self, pc: usize, lane: u32, component: Component) {
        self.writes += 1;
        self.number += 1;
        let Self { workgroup, warp, number, .. } = *self;
        self.last = Some(Write { workgroup, warp, lane, pc, component, number });
    }

    /// A box that may have the element in it.
    fn stored_box(&mut self, id: u32, step: &Step<'_>) {
        let together = &self.code.collectives[id as usize];
        let (What::Box(boxes), Some(place)) = (together.what, together.place) else { return };
        if boxes.load || self.code.places[place as usize].mem != Mem::Buffer(self.target.buffer) {
            return;
        }
        for lane in lanes_of(step.mask) {
            let [x, y] = [1, 2].map(|i| step.vector(together.a[i], lane).cast_signed());
            let byte = self.target.byte & !3;
            let boxes = boxes.of_lane(|| step.vector(together.a[SIZE], lane));
            if boxes.place_of(x, y, byte).is_some() {
                self.wrote(step.pc, lane, Component { byte, width: Width::Word });
            }
        }
    }

    /// Lanes go in order, so an atomic that replaces only under a condition can be followed lane by lane.
    fn atomic(&mut self, step: &Step<'_>) {
        let Op::Atomic { op, place, value, compare, .. } = self.code.ops[step.pc] else { return };
        let place = &self.code.places[place as usize];
        let Buffer::Written(words) = &self.buffers[usize::from(self.target.buffer)] else { return };
        let mut now = words.as_slice().word(self.target.byte as usize / 4);
        for lane in lanes_of(step.mask) {
            if let Some(byte) = step.address(place, lane).filter(|address| self.target.overlaps(*address, 4))
                && let Some(new) = atomic_result(op, now, step.operand(value, lane), step.operand(compare, lane))
            {
                now = new;
                self.wrote(step.pc, lane, Component { byte, width: Width::Word });
            }
        }
    }
}

impl Observer for Watch<'_> {
    const ACTIVE: bool = false;
    const STEPS: bool = true;

    fn warp(&mut self, warp: u32) {
        self.warp = warp;
    }

    fn step(&mut self, step: &Step<'_>) {
        if let Op::Collective { id } = self.code.ops[step.pc] {
            return self.stored_box(id, step);
        }
        let (Op::Store { place, .. } | Op::Atomic { place, .. } | Op::AtomicWords { place, .. }) =
            self.code.ops[step.pc]
        else {
            return;
        };
        let place = &self.code.places[place as usize];
        if place.mem != Mem::Buffer(self.target.buffer) {
            return;
        }
        if let Op::Atomic { .. } = self.code.ops[step.pc] {
            return self.atomic(step);
        }
        for lane in lanes_of(step.mask) {
            let Some(address) = step.address(place, lane) else { continue };
            let bytes = u32::from(place.width.bytes());
            let mut components = (0..u32::from(place.components)).map(|i| address + i * bytes);
            if let Some(byte) = components.find(|byte| self.target.overlaps(*byte, bytes)) {
                self.wrote(step.pc, lane, Component { byte, width: place.width });
            }
        }
    }
}
