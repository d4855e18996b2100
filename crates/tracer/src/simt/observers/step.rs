//! One operation just before it is executed, with the registers it will read.

use crate::simt::code::{Index, Place, Term};
use crate::simt::ir::Mem;
use crate::simt::ops::Src;

/// The next operation of a warp.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    /// The operation.
    pub pc: usize,
    /// Active lanes.
    pub mask: u64,
    /// Scalar registers.
    pub scalars: &'a [u32],
    /// Vector registers, then rows of local memory: `width` words each.
    pub vectors: &'a [u32],
    /// Lanes of the warp.
    pub width: usize,
}

impl Step<'_> {
    /// The value of a vector register in a lane.
    pub fn vector(&self, reg: u32, lane: u32) -> u32 {
        self.vectors[reg as usize * self.width + lane as usize]
    }

    /// The value of an operand in a lane.
    pub fn operand(&self, src: Src, lane: u32) -> u32 {
        if src.is_scalar() { self.scalars[src.reg() as usize] } else { self.vector(src.reg(), lane) }
    }

    /// The value of a term's index in a lane.
    fn index(&self, term: &Term, lane: u32) -> u32 {
        match term.index {
            Index::One(reg) => self.scalars[reg as usize],
            Index::Linear { base, step } => {
                self.scalars[base as usize].wrapping_add(lane.wrapping_mul(self.scalars[step as usize]))
            }
            Index::Lanes(reg) => self.vector(reg, lane),
        }
    }

    /// The byte address that a lane goes to; None if it would be out of bounds.
    pub fn address(&self, place: &Place, lane: u32) -> Option<u32> {
        if let Some(whole) = &place.whole {
            let address = place
                .terms
                .iter()
                .fold(whole.start, |address, term| address.wrapping_add(term.wide(self.index(term, lane))));
            let address = if place.mem == Mem::Shared { i64::from(address as u32) } else { address };
            let inside = whole.reaches(address, place.bytes()).then_some(address)?;
            return match &place.pages {
                Some(pages) => pages.at(u64::try_from(inside - whole.low).ok()?),
                None => Some(inside as u32),
            };
        }
        place.terms.iter().try_fold(place.offset, |address, term| {
            let index = self.index(term, lane);
            (index < term.len).then(|| address.wrapping_add(term.moved(index)))
        })
    }
}
