//! Atomics of a warp: on words, on parts of a word, on vectors, and on 64 bits.

use super::access::Atomic;
use super::{Surroundings, Warp};
use crate::simt::code::{NONE, Place};
use crate::simt::ir::{AtomicOp, Mem, Width};
use crate::simt::lanes::lanes_of;
use crate::simt::memory::{atomic_result, wide_result};
use crate::simt::observers::Observer;
use crate::simt::ops::Src;

/// The new 32-bit word after a 16-bit atomic on the half at `address`; None if it is unchanged.
fn short_result(op: AtomicOp, address: u32, old: u32, value: u32, compare: u32) -> Option<u32> {
    let shift = 8 * (address & 2);
    let new = atomic_result(op, old >> shift & 0xFFFF, value & 0xFFFF, compare & 0xFFFF)?;
    Some(old & !(0xFFFF << shift) | (new & 0xFFFF) << shift)
}

impl<const W: usize> Warp<W> {
    fn of_lane(&self, src: Src, lane: u32) -> u32 {
        let reg = src.reg() as usize;
        if src.is_scalar() { self.scalars[reg] } else { self.vectors[reg][lane as usize] }
    }

    /// Reads and writes one word a lane, lane after lane.
    pub(super) fn atomic<O: Observer>(
        &mut self,
        op: AtomicOp,
        site: u32,
        [value, compare]: [Src; 2],
        [old, done]: [u32; 2],
        around: &mut Surroundings<'_, O>,
    ) {
        let code = around.code;
        let place = &code.places[site as usize];
        let target = self.resolve(place, around);
        let (mut before, mut replaced) = ([0; W], [0; W]);
        for lane in lanes_of(target.mask) {
            let (value, compare) = (self.of_lane(value, lane), self.of_lane(compare, lane));
            let address = self.address(target, lane);
            let short = place.width == Width::Short;
            let new = |old: u32| match short {
                true => short_result(op, address, old, value, compare),
                false => atomic_result(op, old, value, compare),
            };
            let was = change(place, address, around, new);
            let was = if short { was >> (8 * (address & 2)) & 0xFFFF } else { was };
            before[lane as usize] = was;
            replaced[lane as usize] = u32::from(was == compare);
        }
        let left = (0..).zip(&replaced).fold(0, |left, (lane, replaced)| left | u64::from(*replaced == 0) << lane);
        let failed = if op == AtomicOp::CompareExchange { left & target.mask } else { 0 };
        let replaces = op == AtomicOp::Exchange && old == NONE;
        self.observe_atomic(site, place, Atomic { op, value, was: &before, failed, replaces }, target, around);
        if old != NONE {
            self.set(old, &before, true);
        }
        if done != NONE {
            self.set(done, &replaced, true);
        }
    }

    /// The same on several words of a lane: on each component of a vector, or on 64 bits.
    pub(super) fn atomic_words<O: Observer>(
        &mut self,
        op: AtomicOp,
        site: u32,
        operands: [Src; 4],
        old: [u32; 4],
        around: &mut Surroundings<'_, O>,
    ) {
        let code = around.code;
        let place = &code.places[site as usize];
        let target = self.resolve(place, around);
        let (mut before, mut failed) = ([[0; W]; 4], 0);
        for lane in lanes_of(target.mask) {
            let values = operands.map(|src| self.of_lane(src, lane));
            let address = self.address(target, lane);
            let mut was = [0; 4];
            if place.vector > 0 {
                for ((was, value), part) in was.iter_mut().zip(values).zip(0..u32::from(place.components)) {
                    *was = change(place, address + 4 * part, around, |old| atomic_result(op, old, value, 0));
                }
            } else {
                [was[0], was[1]] = change_wide(place, address, around, op, values);
                let left = op == AtomicOp::CompareExchange && was[..2] != values[2..];
                failed |= u64::from(left) << lane;
            }
            was.iter().zip(&mut before).for_each(|(was, before)| before[lane as usize] = *was);
        }
        let replaces = op == AtomicOp::Exchange && old.iter().all(|register| *register == NONE);
        let atomic = Atomic { op, value: operands[0], was: &before[0], failed, replaces };
        self.observe_atomic(site, place, atomic, target, around);
        for (old, before) in old.into_iter().zip(&before) {
            if old != NONE {
                self.set(old, before, true);
            }
        }
    }
}

/// An atomic on the 64 bits at byte `address`: the operands are the value and the value to compare with. Returns the words before it.
fn change_wide<O>(
    place: &Place,
    address: u32,
    around: &mut Surroundings<'_, O>,
    op: AtomicOp,
    operands: [u32; 4],
) -> [u32; 2] {
    let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    let [value, compare] = [pair(operands[0], operands[1]), pair(operands[2], operands[3])];
    let was = [0, 4].map(|at| change(place, address + at, around, |_| None));
    if let Some(new) = wide_result(op, pair(was[0], was[1]), value, compare) {
        change(place, address, around, |_| Some(new as u32));
        change(place, address + 4, around, |_| Some((new >> 32) as u32));
    }
    was
}

/// Replaces the word at byte `address` by `new(old)` if that is `Some`; returns the old word.
fn change<O>(place: &Place, address: u32, around: &mut Surroundings<'_, O>, new: impl Fn(u32) -> Option<u32>) -> u32 {
    let i = address as usize / 4;
    match place.mem {
        Mem::Buffer(buffer) => around.buffers[usize::from(buffer)].change(i, new),
        Mem::Shared => around.shared.get_mut(i).map_or(0, |word| {
            let was = *word;
            *word = new(was).unwrap_or(was);
            was
        }),
        Mem::Local => 0,
    }
}
