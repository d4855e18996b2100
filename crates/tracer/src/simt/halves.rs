//! Loads and stores of 16-bit floats, two of which share a word of memory. In registers each is an `f32`.

use std::sync::atomic::Ordering::Relaxed;

use super::access::{Form, Target};
use super::code::Place;
use super::ir::Mem;
use super::memory::{Buffer, Words};
use super::observers::lanes_of;
use super::ops::Src;
use super::warp::{Surroundings, Warp};
use warpbook_base::half::{f16_to_f32, f32_to_f16};

/// The half at byte `address` of memory, as an `f32`.
fn widened(word: u32, address: u32) -> u32 {
    f16_to_f32((word >> shift(address)) as u16).to_bits()
}

/// `word` with the half at byte `address` replaced by the one nearest to the `f32` in `value`.
fn replaced(word: u32, address: u32, value: u32) -> u32 {
    let half = u32::from(f32_to_f16(f32::from_bits(value)));
    word & !(0xFFFF << shift(address)) | half << shift(address)
}

/// Where in its word the half at byte `address` lies.
fn shift(address: u32) -> u32 {
    address % 4 / 2 * 16
}

fn word<O>(place: &Place, around: &Surroundings<'_, O>, address: u32) -> u32 {
    let i = address as usize / 4;
    match place.mem {
        Mem::Buffer(buffer) => match &around.buffers[usize::from(buffer)] {
            Buffer::Read(words) => words.word(i),
            Buffer::Written(words) => words.as_slice().word(i),
        },
        // A lane's own arrays hold halves as words.
        Mem::Shared | Mem::Local => around.shared.word(i),
    }
}

impl<const W: usize> Warp<W> {
    /// Loads halves that all lanes share.
    pub(super) fn load_one_half<O>(
        &mut self,
        place: &Place,
        target: Target,
        dst: &[u32; 4],
        around: &Surroundings<'_, O>,
    ) {
        for (i, dst) in (0..u32::from(place.components)).zip(dst) {
            self.scalars[*dst as usize] = match target.form {
                Form::One(address) => widened(word(place, around, address + 2 * i), address + 2 * i),
                // Out of bounds.
                _ => 0,
            };
        }
    }

    /// Loads a vector register a half.
    pub(super) fn load_halves<O>(&mut self, place: &Place, target: Target, dst: &[u32], around: &Surroundings<'_, O>) {
        for (i, dst) in (0..).zip(dst) {
            let values = self.some_lanes(target.mask, |me, lane| {
                let address = me.address(target, lane) + 2 * i;
                widened(word(place, around, address), address)
            });
            self.set(*dst, &values, true);
        }
    }

    /// Stores halves, lanes in order.
    pub(super) fn store_halves<O>(&self, place: &Place, target: Target, src: &[Src], around: &mut Surroundings<'_, O>) {
        for (i, src) in (0..).zip(src) {
            let reg = src.reg() as usize;
            for lane in lanes_of(target.mask) {
                let value = if src.is_scalar() { self.scalars[reg] } else { self.vectors[reg][lane as usize] };
                let address = self.address(target, lane) + 2 * i;
                let at = address as usize / 4;
                match place.mem {
                    Mem::Buffer(buffer) => {
                        if let Buffer::Written(words) = &around.buffers[usize::from(buffer)]
                            && let Some(word) = words.get(at)
                        {
                            // Another workgroup may be writing the other half.
                            let _ = word.fetch_update(Relaxed, Relaxed, |word| Some(replaced(word, address, value)));
                        }
                    }
                    Mem::Shared | Mem::Local => {
                        if let Some(word) = around.shared.get_mut(at) {
                            *word = replaced(*word, address, value);
                        }
                    }
                }
            }
        }
    }
}
