//! A cache of access costs: the pattern that a site's accesses repeat.
//!
//! The cost of an access depends only on the addresses relative to each other and on where the first of them lies. A
//! kernel's access mostly repeats one such pattern, so each site remembers the last one with its costs.

use super::{Access, Addresses};

/// Places of the first address that costs are distinguished by.
pub(super) const SLOTS: usize = 16;

/// The last pattern of one site, and what it cost.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    mask: u64,
    shape: Shape,
    /// By slot; 0 where it is not known yet.
    costs: [u32; SLOTS],
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    None,
    One,
    Linear(u32),
    /// Addresses relative to the first active lane's; those of inactive lanes mean nothing.
    Lanes(Box<[u32]>),
}

impl Pattern {
    pub fn new() -> Self {
        Self { mask: 0, shape: Shape::None, costs: [0; SLOTS] }
    }

    /// The cost of an access: from `compute`, which is called once for each pattern and each `slot` that the first
    /// address leads to.
    #[inline]
    pub fn cost(&mut self, access: &Access<'_>, slot: impl Fn(u32) -> u32, compute: fn(&Access<'_>) -> u32) -> u32 {
        let first = access.addresses.at(access.mask.trailing_zeros());
        if !self.is_known(access, first) {
            self.remember(access, first);
        }
        let known = &mut self.costs[slot(first) as usize % SLOTS];
        if *known == 0 {
            *known = compute(access);
        }
        *known
    }

    #[inline]
    fn is_known(&self, access: &Access<'_>, first: u32) -> bool {
        if self.mask != access.mask {
            return false;
        }
        match (access.addresses, &self.shape) {
            (Addresses::One(_), Shape::One) => true,
            (Addresses::Linear { step, .. }, Shape::Linear(known)) => step == *known,
            (Addresses::Lanes(lanes), Shape::Lanes(known)) => {
                // Without a branch a lane, so that it takes a few vector instructions.
                let differs = lanes.iter().zip(known).enumerate().fold(0, |differs, (lane, (address, known))| {
                    let active = 0_u32.wrapping_sub((access.mask >> lane) as u32 & 1);
                    differs | ((address.wrapping_sub(first) ^ known) & active)
                });
                differs == 0
            }
            _ => false,
        }
    }

    fn remember(&mut self, access: &Access<'_>, first: u32) {
        self.mask = access.mask;
        self.costs = [0; SLOTS];
        match access.addresses {
            Addresses::One(_) => self.shape = Shape::One,
            Addresses::Linear { step, .. } => self.shape = Shape::Linear(step),
            Addresses::Lanes(lanes) => {
                if !matches!(&self.shape, Shape::Lanes(known) if known.len() == lanes.len()) {
                    self.shape = Shape::Lanes(vec![0; lanes.len()].into());
                }
                if let Shape::Lanes(known) = &mut self.shape {
                    for (known, address) in known.iter_mut().zip(lanes) {
                        *known = address.wrapping_sub(first);
                    }
                }
            }
        }
    }
}
