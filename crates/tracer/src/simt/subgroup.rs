//! Subgroup operations: exchanges between the lanes of a warp. WGSL calls a warp a subgroup.
//!
//! Only active lanes take part. WGSL leaves open what a lane gets from one that is not: here a shuffle gives it its own
//! value back, as CUDA does past the end of a warp, and a broadcast the first active lane's.

use super::ops::Binary;
use crate::simt::lanes::lanes_of;

/// An operation among the lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subgroup {
    /// A bit for each lane, set where its value is not 0: four words, lane 0 first.
    Ballot,
    /// All values combined, in the lanes' order.
    Reduce(Binary),
    /// Each lane's value combined with those of the lanes before it.
    InclusiveScan(Binary),
    /// The values of the lanes before it, combined; the first gets `identity`.
    ExclusiveScan {
        /// How to combine.
        op: Binary,
        /// The value that changes nothing when combined with.
        identity: u32,
    },
    /// The first active lane's value.
    First,
    /// One lane's value for all; which one, all agree on.
    Broadcast,
    /// The value of the lane that each names.
    Shuffle,
    /// The value of the lane that many further on.
    ShuffleDown,
    /// The value of the lane that many before.
    ShuffleUp,
    /// The value of the lane whose number differs in these bits.
    ShuffleXor,
    /// The value of the lane with this number among four neighbours.
    Quad,
    /// The active lanes with the same value, as bits.
    Match,
    /// The values of the lanes that each names by a mask, combined.
    ReduceWithin(Binary),
    /// PTX's `shfl`: within segments of the warp, whose mask is in the high byte of `clamp` and whose last lane in its low one; a lane
    /// that asks one outside gets its own value.
    Clamped { how: Shuffle, clamp: u16 },
    /// Whether such a lane is inside: 1 or 0.
    InClamp { how: Shuffle, clamp: u16 },
}

/// The ways of PTX's `shfl` to name a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    /// The lane that many before.
    Up,
    /// The lane that many further on.
    Down,
    /// The lane whose number differs in these bits.
    Xor,
    /// The lane with this number in its segment.
    Index,
}

impl Shuffle {
    /// The lane that `lane` asks; None if it is outside of its segment.
    fn asked(self, lane: u32, by: u32, clamp: u16) -> Option<u32> {
        let (by, limit, segment) = (by & 31, u32::from(clamp) & 31, u32::from(clamp) >> 8 & 31);
        let (least, most) = (lane & segment, lane & segment | limit & !segment & 31);
        let asked = match self {
            // A segment begins at its lane 0, and `most` names it here.
            Self::Up => return lane.checked_sub(by).filter(|asked| *asked >= most),
            Self::Down => lane + by,
            Self::Xor => lane ^ by,
            Self::Index => least | by & !segment & 31,
        };
        (asked <= most).then_some(asked)
    }
}

impl Subgroup {
    /// Components of the result.
    pub fn results(self) -> usize {
        if self == Self::Ballot { 4 } else { 1 }
    }

    /// Whether all active lanes get the same.
    pub fn is_uniform(self) -> bool {
        matches!(self, Self::Ballot | Self::Reduce(_) | Self::First | Self::Broadcast)
    }

    /// Whether it may read beyond the ends of the warp; such a value is not to be used.
    pub fn may_leave(self) -> bool {
        matches!(self, Self::ShuffleDown | Self::ShuffleUp)
    }

    /// The lane that `lane` gets its value from, where one is named; it may not exist.
    pub fn source(self, lane: u32, index: u32) -> u32 {
        match self {
            Self::Broadcast | Self::Shuffle => index,
            Self::ShuffleDown => lane.saturating_add(index),
            Self::ShuffleUp => lane.checked_sub(index).unwrap_or(u32::MAX),
            Self::ShuffleXor => lane ^ index,
            Self::Quad => lane & !3 | index & 3,
            Self::Clamped { how, clamp } => how.asked(lane, index, clamp).unwrap_or(lane),
            _ => lane,
        }
    }

    /// Whether it takes an index.
    pub fn has_index(self) -> bool {
        use Subgroup as S;
        let other = matches!(self, S::Quad | S::Clamped { .. } | S::InClamp { .. });
        other || matches!(self, S::Broadcast | S::Shuffle | S::ShuffleDown | S::ShuffleUp | S::ShuffleXor)
    }

    /// The lanes of `mask` whose values `lane` gets its own from.
    pub fn sources(self, lane: u32, index: u32, mask: u64) -> u64 {
        match self {
            Self::Ballot | Self::Reduce(_) | Self::Match => mask,
            Self::ReduceWithin(_) => mask & u64::from(index),
            Self::First => mask & mask.wrapping_neg(),
            Self::InclusiveScan(_) => mask & (u64::MAX >> (63 - lane)),
            Self::ExclusiveScan { .. } => mask & ((1 << lane) - 1),
            _ => {
                let from = self.source(lane, index);
                match (self, is_active(mask, from)) {
                    (_, true) => 1 << from,
                    (Self::Broadcast, false) => mask & mask.wrapping_neg(),
                    (_, false) => 1 << lane,
                }
            }
        }
    }

    /// The bits of a ballot.
    pub fn ballot<const W: usize>(values: &[u32; W], mask: u64) -> [u32; 4] {
        let bits = lanes_of(mask).filter(|l| values[*l as usize] != 0).fold(0_u64, |bits, l| bits | 1 << l);
        [bits as u32, (bits >> 32) as u32, 0, 0]
    }

    /// The result that all lanes of `mask`, of which there is one, share. `index` is what a broadcast asks for.
    pub fn one<const W: usize>(self, values: &[u32; W], mask: u64, index: u32) -> u32 {
        let first = mask.trailing_zeros();
        match self {
            Self::Reduce(op) => {
                let rest = lanes_of(mask & (mask - 1)).map(|l| values[l as usize]);
                rest.fold(values[first as usize], |sum, value| op.scalar(sum, value))
            }
            Self::Broadcast if is_active(mask, index) => values[index as usize],
            _ => values[first as usize],
        }
    }

    /// The results of the lanes of `mask`, 0 for the others.
    pub fn each<const W: usize>(self, values: &[u32; W], mask: u64, index: impl Fn(u32) -> u32) -> [u32; W] {
        let mut out = [0; W];
        let mut sum: Option<u32> = None;
        for lane in lanes_of(mask) {
            let value = values[lane as usize];
            out[lane as usize] = match self {
                Self::ReduceWithin(op) => {
                    let others = lanes_of(mask & u64::from(index(lane))).map(|l| values[l as usize]);
                    others.reduce(|a, b| op.scalar(a, b)).unwrap_or(value)
                }
                Self::Match => lanes_of(mask).filter(|l| values[*l as usize] == value).fold(0, |bits, l| bits | 1 << l),
                Self::InclusiveScan(op) | Self::ExclusiveScan { op, .. } => {
                    let before = sum;
                    let after = before.map_or(value, |sum| op.scalar(sum, value));
                    sum = Some(after);
                    match self {
                        Self::ExclusiveScan { identity, .. } => before.unwrap_or(identity),
                        _ => after,
                    }
                }
                Self::InClamp { how, clamp } => how.asked(lane, index(lane), clamp).is_some().into(),
                _ => {
                    let from = self.source(lane, index(lane));
                    if is_active(mask, from) { values[from as usize] } else { value }
                }
            };
        }
        out
    }
}

/// Whether lane `lane`, which may not exist, is one of `mask`.
pub fn is_active(mask: u64, lane: u32) -> bool {
    mask.checked_shr(lane).is_some_and(|rest| rest & 1 == 1)
}
