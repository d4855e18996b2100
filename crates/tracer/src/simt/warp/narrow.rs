//! Loads and stores of 8 and 16 bits, several of which share a word of memory. In a register of WGSL's a half is an `f32`.

use std::sync::atomic::Ordering::Relaxed;

use super::access::{Form, Target};
use super::{Surroundings, Warp};
use crate::simt::code::Place;
use crate::simt::ir::{Mem, Width};
use crate::simt::lanes::lanes_of;
use crate::simt::memory::{Buffer, Words};
use crate::simt::ops::Src;
use warpbook_base::half::{f16_to_f32, f32_to_f16};

/// The part at byte `address` of memory, as a register holds it.
fn widened(word: u32, address: u32, width: Width) -> u32 {
    let bits = word >> shift(address, width);
    match width {
        Width::Half => f16_to_f32(bits as u16).to_bits(),
        Width::Short => bits & 0xFFFF,
        Width::Byte => bits & 0xFF,
        Width::Word => bits,
    }
}

/// `word` with the part at byte `address` replaced by a register's `value`.
fn replaced(word: u32, address: u32, width: Width, value: u32) -> u32 {
    let (mask, bits) = match width {
        Width::Half => (0xFFFF, u32::from(f32_to_f16(f32::from_bits(value)))),
        Width::Short => (0xFFFF, value & 0xFFFF),
        Width::Byte => (0xFF, value & 0xFF),
        Width::Word => (u32::MAX, value),
    };
    word & !(mask << shift(address, width)) | bits << shift(address, width)
}

/// Where in its word the part at byte `address` lies, in bits.
fn shift(address: u32, width: Width) -> u32 {
    let bytes = u32::from(width.bytes());
    address % 4 / bytes * bytes * 8
}

fn word<O>(place: &Place, around: &Surroundings<'_, O>, address: u32) -> u32 {
    let i = address as usize / 4;
    match place.mem {
        Mem::Buffer(buffer) => match &around.buffers[usize::from(buffer)] {
            Buffer::Read(words) => words.word(i),
            Buffer::Written(words) => words.as_slice().word(i),
        },
        // Of a lane's own arrays, see below.
        Mem::Shared | Mem::Local => around.shared.word(i),
    }
}

impl<const W: usize> Warp<W> {
    /// Loads parts of words that all lanes share.
    pub(super) fn load_one_narrow<O>(
        &mut self,
        place: &Place,
        target: Target,
        dst: &[u32; 4],
        around: &Surroundings<'_, O>,
    ) {
        let bytes = u32::from(place.width.bytes());
        for (i, dst) in (0..u32::from(place.components)).zip(dst) {
            self.scalars[*dst as usize] = match target.form {
                Form::One(first) => {
                    let address = first + bytes * i;
                    widened(word(place, around, address), address, place.width)
                }
                // Out of bounds.
                _ => 0,
            };
        }
    }

    /// Loads a vector register per part.
    pub(super) fn load_narrow<O>(&mut self, place: &Place, target: Target, dst: &[u32], around: &Surroundings<'_, O>) {
        for (i, dst) in (0..).zip(dst) {
            let values = self.some_lanes(target.mask, |me, lane| {
                let address = me.address(target, lane) + u32::from(place.width.bytes()) * i;
                let word = match place.mem {
                    Mem::Local => me.vectors[(around.code.vectors + address / 4) as usize][lane as usize],
                    _ => word(place, around, address),
                };
                widened(word, address, place.width)
            });
            self.set(*dst, &values, true);
        }
    }

    /// Stores parts of words, lanes in order.
    pub(super) fn store_narrow<O>(
        &mut self,
        place: &Place,
        target: Target,
        src: &[Src],
        around: &mut Surroundings<'_, O>,
    ) {
        for (i, src) in (0..).zip(src) {
            let reg = src.reg() as usize;
            for lane in lanes_of(target.mask) {
                let value = if src.is_scalar() { self.scalars[reg] } else { self.vectors[reg][lane as usize] };
                let address = self.address(target, lane) + u32::from(place.width.bytes()) * i;
                let at = address as usize / 4;
                match place.mem {
                    Mem::Buffer(buffer) => {
                        if let Buffer::Written(words) = &around.buffers[usize::from(buffer)]
                            && let Some(word) = words.get(at)
                        {
                            // Another workgroup may be writing another part.
                            let _ = word.fetch_update(Relaxed, Relaxed, |word| {
                                Some(replaced(word, address, place.width, value))
                            });
                        }
                    }
                    Mem::Local => {
                        let word = &mut self.vectors[(around.code.vectors + address / 4) as usize][lane as usize];
                        *word = replaced(*word, address, place.width, value);
                    }
                    Mem::Shared => {
                        if let Some(word) = around.shared.get_mut(at) {
                            *word = replaced(*word, address, place.width, value);
                        }
                    }
                }
            }
        }
    }
}
