//! Addresses that are computed as numbers, as in PTX: 64-bit sums, checked against the bounds of the memory that they lead into. Those of
//! shared memory have 32 bits, and wrap.

use super::access::{Form, Target};
use super::{Surroundings, Warp, name_of};
use crate::simt::code::{Index, Place, Whole};
use crate::simt::ir::Mem;
use crate::simt::lanes::lanes_of;
use crate::simt::observers::Outside;
use crate::simt::pages::Pages;
use crate::trace::FindingKind;

/// The sum of a place's terms: `base + lane·step`, and a part of each lane's own.
struct Sum<const W: usize> {
    base: i64,
    step: i64,
    lanes: Option<[i64; W]>,
}

impl<const W: usize> Sum<W> {
    fn at(&self, lane: u32) -> i64 {
        let own = self.lanes.as_ref().map_or(0, |lanes| lanes[lane as usize]);
        self.base.wrapping_add(i64::from(lane).wrapping_mul(self.step)).wrapping_add(own)
    }
}

impl<O> Surroundings<'_, O> {
    /// Reports that a lane, with this local index, goes outside of the variable of a place. Indices are in elements of `bytes`, if these
    /// need not be the variable's own.
    pub fn report_outside(
        &mut self,
        place: &Place,
        outside: Outside,
        bytes: Option<u8>,
        (lane, invocation): (u32, u64),
    ) {
        let (at, variables) = (self.at, self.variables);
        let of = bytes.map_or_else(String::new, |bytes| format!(" of {bytes} bytes"));
        self.findings.report_outside(place.line, place.variable, outside, || {
            format!(
                "index {} is {} of {}, which has {} elements{of} (workgroup {}, warp {}, lane {lane}, local index {invocation})",
                outside.first,
                if outside.first < 0 { "before the start" } else { "past the end" },
                name_of(place, variables),
                outside.elements,
                at.workgroup,
                at.warp,
            )
        });
    }
}

impl<const W: usize> Warp<W> {
    /// The addresses of `place`, without the lanes that would go out of bounds or whose address is not aligned: these are reported.
    pub(super) fn resolve_whole<O>(&mut self, place: &Place, whole: Whole, around: &mut Surroundings<'_, O>) -> Target {
        if let Some(pages) = &place.pages {
            return self.resolve_paged(place, whole, pages, around);
        }
        let sum = self.sum(place, whole.start);
        let bytes = place.bytes();
        let aligned = |address: i64| address & i64::from(bytes - 1) == 0;
        let Some(lanes) = &sum.lanes else {
            let (first, last) = (self.mask.trailing_zeros(), 63 - self.mask.leading_zeros());
            let ends = [sum.at(first), sum.at(last)];
            if ends.iter().all(|end| whole.reaches(*end, bytes)) && aligned(ends[0]) && aligned(sum.step) {
                let (base, step) = (sum.base as u32, sum.step as u32);
                let form = if step == 0 { Form::One(base) } else { Form::Linear { base, step } };
                return Target { form, mask: self.mask };
            }
            return self.checked(place, whole, &sum, around);
        };
        let mut wrong = 0_u64;
        let wraps = place.mem == Mem::Shared;
        for (lane, (address, own)) in self.addresses.iter_mut().zip(lanes).enumerate() {
            let at = sum.base.wrapping_add((lane as i64).wrapping_mul(sum.step)).wrapping_add(*own);
            let at = if wraps { i64::from(at as u32) } else { at };
            *address = at as u32;
            wrong |= u64::from(!(whole.reaches(at, bytes) && aligned(at))) << lane;
        }
        if wrong & self.mask != 0 {
            return self.checked(place, whole, &sum, around);
        }
        Target { form: Form::Lanes, mask: self.mask }
    }

    /// The same of a buffer that is held by pages.
    #[cold]
    fn resolve_paged<O>(
        &mut self,
        place: &Place,
        whole: Whole,
        pages: &Pages,
        around: &mut Surroundings<'_, O>,
    ) -> Target {
        let sum = self.sum(place, whole.start);
        let Target { mut mask, .. } = self.checked(place, whole, &sum, around);
        for lane in lanes_of(mask) {
            let byte = u64::try_from(sum.at(lane) - whole.low).ok();
            if let Some(held) = byte.and_then(|byte| pages.at(byte)) {
                self.addresses[lane as usize] = held;
            } else {
                // All memory is taken, and the launch ends with an error.
                mask &= !(1 << lane);
                around.fuel = 0;
            }
        }
        let is_one = mask != 0 && sum.lanes.is_none() && sum.step == 0;
        let form = if is_one { Form::One(self.addresses[mask.trailing_zeros() as usize]) } else { Form::Lanes };
        Target { form, mask }
    }

    fn sum(&self, place: &Place, start: i64) -> Sum<W> {
        let mut sum = Sum { base: start, step: 0, lanes: None };
        let (first, last) = (self.mask.trailing_zeros(), 63 - self.mask.leading_zeros());
        for term in &place.terms {
            match term.index {
                Index::One(reg) => sum.base = sum.base.wrapping_add(term.wide(self.scalars[reg as usize])),
                Index::Linear { base, step } => {
                    let (index, by) = (self.scalars[base as usize], self.scalars[step as usize]);
                    let start = index.wrapping_add(first.wrapping_mul(by));
                    let start = if term.signed { i64::from(start.cast_signed()) } else { i64::from(start) };
                    let by = i64::from(by.cast_signed());
                    let end = start + i64::from(last - first) * by;
                    let fits = if term.signed { i32::try_from(end).is_ok() } else { u32::try_from(end).is_ok() };
                    if fits {
                        sum.base = sum.base.wrapping_add((start - i64::from(first) * by).wrapping_mul(term.stride));
                        sum.step = sum.step.wrapping_add(by.wrapping_mul(term.stride));
                    } else {
                        // The index passes the end of its 32 bits between two lanes.
                        let lanes = sum.lanes.get_or_insert([0; W]);
                        for (lane, own) in (0..).zip(lanes) {
                            *own = own.wrapping_add(term.wide(index.wrapping_add((by as u32).wrapping_mul(lane))));
                        }
                    }
                }
                Index::Lanes(reg) => {
                    let lanes = sum.lanes.get_or_insert([0; W]);
                    let (indices, stride) = (&self.vectors[reg as usize], term.stride);
                    if term.signed {
                        for (own, index) in lanes.iter_mut().zip(indices) {
                            *own = own.wrapping_add(i64::from(index.cast_signed()).wrapping_mul(stride));
                        }
                    } else {
                        for (own, index) in lanes.iter_mut().zip(indices) {
                            *own = own.wrapping_add(i64::from(*index).wrapping_mul(stride));
                        }
                    }
                }
            }
        }
        sum
    }

    /// The same lane by lane, with what is wrong reported.
    #[cold]
    fn checked<O>(&mut self, place: &Place, whole: Whole, sum: &Sum<W>, around: &mut Surroundings<'_, O>) -> Target {
        let (mut mask, bytes) = (self.mask, place.bytes());
        for lane in lanes_of(self.mask) {
            let address = match place.mem {
                // One that is outside is named as the nearest to the memory: before its start, or past its end.
                Mem::Shared => i64::from(sum.at(lane) as i32),
                _ => sum.at(lane),
            };
            self.addresses[lane as usize] = address as u32;
            let invocation = u64::from(around.at.warp) * W as u64 + u64::from(lane);
            if !whole.reaches(address, bytes) {
                mask &= !(1 << lane);
                let unit = i64::from(place.unit);
                // Of an access that begins inside, the first element beyond.
                let first = if (whole.low..whole.high).contains(&address) { whole.high } else { address };
                let index = |address: i64| (address - whole.low).div_euclid(unit);
                let last = index(address + i64::from(bytes) - 1);
                let outside = Outside::over([index(first), last], (whole.high - whole.low) / unit);
                around.report_outside(place, outside, Some(place.unit), (lane, invocation));
            } else if address & i64::from(bytes - 1) != 0 {
                mask &= !(1 << lane);
                around.report(place.line, FindingKind::Misaligned, |at, variables| {
                    format!(
                        "byte {} of {} is no multiple of {bytes}, and an access of {bytes} bytes needs one (workgroup {}, \
                         warp {}, lane {lane}, local index {invocation})",
                        address - whole.low,
                        name_of(place, variables),
                        at.workgroup,
                        at.warp,
                    )
                });
            }
        }
        Target { form: Form::Lanes, mask }
    }
}
