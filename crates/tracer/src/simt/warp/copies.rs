//! Copies to shared memory that a warp does not wait for, as PTX's `cp.async` makes them: what was loaded lands when it is waited for.

use super::access::Target;
use super::{Surroundings, Warp};
use crate::simt::collective::Collective;
use crate::simt::ir::Mem;
use crate::simt::lanes::lanes_of;
use crate::simt::observers::{Observer, Phase};

/// Words on their way.
#[derive(Clone, Debug)]
pub struct Copy<const W: usize> {
    /// The place, which the copy writes to.
    site: u32,
    /// By lane, the first byte.
    addresses: [u32; W],
    /// By component and lane.
    words: [[u32; W]; 4],
}

impl<const W: usize> Warp<W> {
    /// Begins to copy.
    pub(super) fn begin_copy<O: Observer>(&mut self, copy: &Collective, around: &mut Surroundings<'_, O>) {
        let Some(site) = copy.place else { return };
        let code = around.code;
        let place = &code.places[site as usize];
        let target = self.resolve(place, around);
        let mut addresses = [0; W];
        for (lane, address) in (0..).zip(&mut addresses) {
            *address = self.address(target, lane);
        }
        if O::ACTIVE && target.mask != 0 {
            around.observer.later(&self.access(site, place, target), Phase::Begins { counted: true });
        }
        let mut words = [[0; W]; 4];
        for (words, reg) in words.iter_mut().zip(&copy.a) {
            *words = self.vectors[*reg as usize];
        }
        self.copies.begin(target.mask, Copy { site, addresses, words });
    }

    /// Waits for copies, as [`crate::simt::groups::Groups::wait`] says.
    pub(super) fn wait_for_copies<O: Observer>(&mut self, left: Option<u32>, around: &mut Surroundings<'_, O>) {
        for (mask, copy) in self.copies.wait(self.mask, left) {
            let code = around.code;
            let place = &code.places[copy.site as usize];
            debug_assert_eq!(place.mem, Mem::Shared);
            for lane in lanes_of(mask) {
                let first = copy.addresses[lane as usize] as usize / 4;
                for (i, words) in copy.words.iter().enumerate().take(usize::from(place.components)) {
                    if let Some(word) = around.shared.get_mut(first + i) {
                        *word = words[lane as usize];
                    }
                }
            }
            if O::ACTIVE {
                self.addresses = copy.addresses;
                let target = Target { form: super::access::Form::Lanes, mask };
                around.observer.later(&self.access(copy.site, place, target), Phase::Lands { anew: true });
            }
        }
    }
}
