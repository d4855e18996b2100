//! The parts of memory that an access touches, each of the bytes of the kernel's narrowest access.

use super::published::Strong;
use super::{Access, Addresses};
use crate::simt::lanes::lanes_of;
use crate::trace::AccessKind;

/// The lanes of a strong access, the first part of memory that each touches, and what it does there.
pub(super) fn strong_parts<'a>(
    access: &'a Access<'_>,
    grain: u32,
) -> impl Iterator<Item = (u32, u32, Strong)> + use<'a> {
    let (sync, kind, failed) = (access.place.sync, access.kind, access.failed);
    let addresses = access.addresses;
    lanes_of(access.mask).map(move |lane| {
        let writes = kind != AccessKind::Load && failed >> lane & 1 == 0;
        (lane, addresses.at(lane) / grain, Strong { sync, reads: kind != AccessKind::Store, writes })
    })
}

/// Calls `visit` with each lane of an access, and each part of `grain` bytes that it touches: of a vector all, where it
/// writes to a component.
pub(super) fn touched(access: &Access<'_>, grain: u32, mut visit: impl FnMut(u32, u32)) {
    let place = access.place;
    let mut mask = access.mask;
    if let (Addresses::One(_), false) = (access.addresses, place.atomic) {
        // Two lanes at one word show all that the others could: the first, and one that stores another value if there is one.
        let first = mask.trailing_zeros();
        let rest = mask & (mask - 1);
        let differs = |lane: &u32| access.operands.iter().any(|value| value.at(*lane) != value.at(first));
        let other = lanes_of(rest).find(differs).map_or(rest & rest.wrapping_neg(), |lane| 1 << lane);
        mask = 1 << first | other;
    }
    let vector = u32::from(place.vector);
    for lane in lanes_of(mask) {
        let address = access.addresses.at(lane);
        let (start, bytes) = match access.kind {
            // A vector lies at a multiple of its size, rounded up to a power of two.
            AccessKind::Store if vector > 0 => (address & !(vector.next_power_of_two() - 1), vector),
            _ => (address, place.bytes()),
        };
        (start / grain..(start + bytes) / grain).for_each(|part| visit(lane, part));
    }
}
