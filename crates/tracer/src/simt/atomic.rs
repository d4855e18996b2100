//! Atomics of a warp: on words, on parts of a word, and on 64 bits.

use super::access::Does;
use super::code::{NONE, Place};
use super::ir::{AtomicOp, Mem, Width};
use super::memory::{atomic_result, wide_result};
use super::observers::{Observer, lanes_of};
use super::ops::Src;
use super::warp::{Surroundings, Warp};

/// The word that an atomic on the half of it at `address` writes; None if it leaves it.
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
        self.observe(site, place, Does::Atomic(op, value), target, around.observer);
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
        if old != NONE {
            self.set(old, &before, true);
        }
        if done != NONE {
            self.set(done, &replaced, true);
        }
    }

    /// The same on 64 bits.
    pub(super) fn atomic_wide<O: Observer>(
        &mut self,
        op: AtomicOp,
        site: u32,
        [value, compare]: [[Src; 2]; 2],
        old: [u32; 2],
        around: &mut Surroundings<'_, O>,
    ) {
        let code = around.code;
        let place = &code.places[site as usize];
        let target = self.resolve(place, around);
        self.observe(site, place, Does::Atomic(op, value[0]), target, around.observer);
        let mut before = [[0; W]; 2];
        for lane in lanes_of(target.mask) {
            let pair =
                |src: [Src; 2]| u64::from(self.of_lane(src[0], lane)) | u64::from(self.of_lane(src[1], lane)) << 32;
            let (value, compare) = (pair(value), pair(compare));
            let address = self.address(target, lane);
            let low = change(place, address, around, |_| None);
            let high = change(place, address + 4, around, |_| None);
            (before[0][lane as usize], before[1][lane as usize]) = (low, high);
            if let Some(new) = wide_result(op, u64::from(low) | u64::from(high) << 32, value, compare) {
                change(place, address, around, |_| Some(new as u32));
                change(place, address + 4, around, |_| Some((new >> 32) as u32));
            }
        }
        for (old, before) in old.into_iter().zip(&before) {
            if old != NONE {
                self.set(old, before, true);
            }
        }
    }
}

/// Changes the word at byte `address` if `new` gives another, and gives what was there.
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
