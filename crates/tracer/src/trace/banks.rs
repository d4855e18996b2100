//! Banks of workgroup memory: which lanes of a warp are served together. The tracer counts by it and the picture is
//! drawn by it.

use super::AccessKind;

/// Banks of workgroup memory: words of 4 bytes that it serves at once.
pub const BANKS: u32 = 32;

/// How many lanes are served together: as many as the 32 banks allow for this width; twice as many for a load of more
/// than one word per lane if each lane `i` has the address of lane `i ^ 1`, or each that of lane `i ^ 2`. `bytes` are a
/// lane's, `mask` are the active lanes, `address` is in bytes.
///
/// No NVIDIA manual documents this pairing. An H100's counters follow it on every pattern of `tests/hardware/`.
#[must_use]
pub fn together(kind: AccessKind, bytes: u32, mask: u64, address: impl Fn(u32) -> u32) -> u32 {
    let lanes = BANKS / bytes.div_ceil(4).next_power_of_two();
    // Whether each active lane's partner is idle or wants the same.
    let agree = |apart: u32| {
        (0..u64::BITS).filter(|lane| mask >> lane & 1 == 1).all(|lane| {
            let partner = lane ^ apart;
            mask >> partner & 1 == 0 || address(lane) == address(partner)
        })
    };
    let paired = lanes < BANKS && kind == AccessKind::Load && (agree(1) || agree(2));
    if paired { 2 * lanes } else { lanes }
}

/// The parts of `mask` that are served together, `together` lanes each, those without an active lane left out.
pub fn parts(mask: u64, together: u32) -> impl Iterator<Item = u64> {
    let ones = u64::MAX >> (u64::BITS - together);
    (0..u64::BITS).step_by(together as usize).map(move |first| mask & ones << first).filter(|part| *part != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WARP: u64 = 0xFFFF_FFFF;

    #[test]
    fn wide_accesses_take_their_lanes_in_turns() {
        let size = |bytes| together(AccessKind::Load, bytes, WARP, |lane| lane * bytes);
        assert_eq!([2, 4, 8, 12, 16].map(size), [32, 32, 16, 8, 8]);
        let count = |mask, size| parts(mask, size).count();
        assert_eq!([count(WARP, 8), count(0xFF, 8), count(0x101, 8), count(u64::MAX, 32)], [4, 1, 2, 2]);
    }

    #[test]
    fn loads_whose_lanes_agree_in_pairs_take_half_the_turns() {
        let size = |kind, mask, index: fn(u32) -> u32| together(kind, 8, mask, |lane| index(lane) * 8);
        assert_eq!(size(AccessKind::Load, WARP, |lane| lane / 2), 32);
        assert_eq!(size(AccessKind::Load, WARP, |lane| lane % 2), 32);
        assert_eq!(size(AccessKind::Load, WARP, |lane| lane % 4), 16);
        assert_eq!(size(AccessKind::Load, 0x5555_5555, |lane| lane), 32);
        assert_eq!(size(AccessKind::Load, 0x3333_3333, |lane| lane), 32);
        assert_eq!(size(AccessKind::Load, 0x0F0F_0F0F, |lane| lane), 16);
        // One pair that disagrees is enough, and stores never join.
        assert_eq!(size(AccessKind::Load, WARP, |lane| (lane / 2).max(lane % 32 / 31 * 31)), 16);
        assert_eq!(size(AccessKind::Store, WARP, |lane| lane / 2), 16);
    }
}
