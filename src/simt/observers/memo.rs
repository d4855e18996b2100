//! What an access costs: sectors of global memory, wavefronts of workgroup memory.
//!
//! Sectors depend only on the addresses relative to each other and on where the first lies in its sector; wavefronts
//! only on the former, since moving all addresses by a word turns the banks around. A kernel's access mostly repeats one
//! such pattern, so each site remembers the last one with its costs.

use super::{Access, Addresses, lanes_of};
use crate::simt::ir::Width;
use crate::trace::Space;

/// Bytes of a sector.
const SECTOR: u32 = 32;
/// Words that workgroup memory serves at once: one from each bank.
const BANKS: u32 = 32;

/// The last pattern of one site, and what it cost at each alignment.
#[derive(Clone, Debug)]
pub(super) struct Memo {
    mask: u64,
    shape: Shape,
    /// The least wavefronts that the mask could take.
    least: u32,
    /// By the first address's place within its sector, in steps of the narrowest component; 0 where it is not known yet.
    costs: [u32; (SECTOR / 2) as usize],
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    None,
    One,
    Linear(u32),
    /// Addresses relative to the first active lane's; 0 for inactive lanes.
    Lanes(Box<[u32]>),
}

impl Memo {
    pub fn new() -> Self {
        Self { mask: 0, shape: Shape::None, least: 0, costs: [0; 16] }
    }

    /// What an access costs; of workgroup memory, also how much of it is beyond the least possible.
    #[inline]
    pub fn cost(&mut self, access: &Access<'_>, space: Space) -> (u32, u32) {
        // What inner loops do most: one word for all lanes, or one after the other, up to a lane a bank.
        let narrow = access.place.components == 1 && access.place.width == Width::Word && access.mask >> BANKS == 0;
        match (access.addresses, space) {
            (Addresses::One(_), _) if narrow => return (1, 0),
            (Addresses::Linear { step: 4, .. }, Space::Shared) if narrow => return (1, 0),
            _ => {}
        }
        let cost = self.look_up(access, space);
        (cost, cost - self.least.min(cost))
    }

    fn look_up(&mut self, access: &Access<'_>, space: Space) -> u32 {
        let first = access.addresses.at(access.mask.trailing_zeros());
        if !self.is_known(access, first) {
            self.remember(access, first);
        }
        let alignment = match space {
            Space::Global => (first % SECTOR / 2) as usize,
            Space::Shared => (first % 4 / 2) as usize,
        };
        let known = self.costs[alignment];
        if known != 0 {
            return known;
        }
        let cost = match space {
            Space::Global => sectors(access),
            Space::Shared => wavefronts(access),
        };
        self.costs[alignment] = cost;
        cost
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
        self.costs = [0; 16];
        self.least = least_wavefronts(access);
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

/// Distinct 32-byte sectors that the lanes touch.
fn sectors(access: &Access<'_>) -> u32 {
    let bytes = access.place.bytes();
    let mut touched = [0; 256];
    let mut count = 0;
    for lane in lanes_of(access.mask) {
        let address = access.addresses.at(lane);
        // At most 16 bytes at any word: two sectors.
        for sector in address / SECTOR..=(address + bytes - 1) / SECTOR {
            // Neighbours mostly touch the same.
            if count == 0 || touched[count - 1] != sector {
                touched[count] = sector;
                count += 1;
            }
        }
    }
    distinct(&mut touched[..count])
}

fn distinct(values: &mut [u32]) -> u32 {
    if !values.is_sorted() {
        values.sort_unstable();
    }
    values.chunk_by(|a, b| a == b).fold(0, |n, _| n + 1)
}

/// Lanes that workgroup memory serves together: as many as 32 words allow.
fn group(bytes: u32) -> u32 {
    BANKS / bytes.div_ceil(4).next_power_of_two()
}

/// Passes over the banks that the lanes take.
fn wavefronts(access: &Access<'_>) -> u32 {
    let mut total = 0;
    each_group(access, |mask| {
        let mut words = [0; 256];
        let mut count = 0;
        for lane in lanes_of(mask) {
            let first = access.addresses.at(lane);
            for word in first / 4..=(first + access.place.bytes() - 1) / 4 {
                words[count] = word;
                count += 1;
            }
        }
        let words = &mut words[..count];
        words.sort_unstable();
        let mut by_bank = [0_u32; BANKS as usize];
        for same in words.chunk_by(|a, b| a == b) {
            by_bank[(same[0] % BANKS) as usize] += 1;
        }
        total += by_bank.into_iter().max().unwrap_or(0);
    });
    total
}

/// One wavefront for each group that has an active lane.
fn least_wavefronts(access: &Access<'_>) -> u32 {
    let mut groups = 0;
    each_group(access, |_| groups += 1);
    groups
}

fn each_group(access: &Access<'_>, mut visit: impl FnMut(u64)) {
    let size = group(access.place.bytes());
    let ones = u64::MAX >> (64 - size);
    for start in (0..64).step_by(size as usize) {
        let part = access.mask & (ones << start);
        if part != 0 {
            visit(part);
        }
    }
}
