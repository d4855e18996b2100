//! The order of events among the warps of a workgroup, where barriers of some of them order their memory: vector clocks of warps
//! (Mattern, "Virtual Time and Global States of Distributed Systems", 1989).
//!
//! A barrier of all warps begins a new *epoch*, and nothing else is needed until warps meet in another way.

use std::collections::HashMap;

/// How a warp meets others, or how its own lanes do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meet {
    /// It arrives at a barrier: what it did happens before what those do that pass it.
    Arrives(u32),
    /// It passes the barrier.
    Passes(u32),
    /// Its lanes wait for each other.
    Lanes,
}

/// The clocks of one workgroup at a time.
#[derive(Default)]
pub(super) struct Order {
    /// The time at which all warps last met; 1 at first.
    epoch: u32,
    /// By warp, its own time, and the last of each other's that it knows of; empty where all have the same.
    clocks: Vec<Vec<u32>>,
    /// By barrier, the last time of each warp that arrived.
    barriers: HashMap<u32, Vec<u32>>,
}

impl Order {
    /// All warps meet.
    pub fn all_meet(&mut self) {
        let last = (0..self.clocks.len()).map(|warp| self.clocks[warp][warp]).max().unwrap_or(0);
        self.epoch = self.epoch.max(last).wrapping_add(1);
        self.clocks.clear();
        self.barriers.clear();
    }

    /// One of `warps` warps meets others.
    pub fn meet(&mut self, warp: usize, warps: usize, how: Meet) {
        if self.clocks.is_empty() {
            // Of the others all is known up to the epoch's beginning.
            self.clocks = vec![vec![self.epoch - 1; warps]; warps];
            (0..warps).for_each(|warp| self.clocks[warp][warp] = self.epoch);
        }
        let Some(mine) = self.clocks.get_mut(warp) else { return };
        match how {
            Meet::Arrives(barrier) => {
                let seen = self.barriers.entry(barrier).or_insert_with(|| vec![0; warps]);
                seen.iter_mut().zip(&*mine).for_each(|(seen, mine)| *seen = (*seen).max(*mine));
            }
            Meet::Passes(barrier) => {
                let own = mine[warp];
                if let Some(seen) = self.barriers.get(&barrier) {
                    mine.iter_mut().zip(seen).for_each(|(mine, seen)| *mine = (*mine).max(*seen));
                }
                mine[warp] = own;
            }
            Meet::Lanes => {}
        }
        mine[warp] += 1;
    }

    /// A warp's time.
    pub fn now(&self, warp: usize) -> u32 {
        self.clocks.get(warp).map_or(self.epoch, |clock| clock[warp])
    }

    /// Whether what `other` did at `time` happened before what `warp` does now.
    pub fn is_past(&self, warp: usize, (other, time): (usize, u32)) -> bool {
        if time < self.epoch {
            return true;
        }
        self.clocks.get(warp).is_some_and(|known| match other == warp {
            true => time < known[warp],
            false => known.get(other).is_some_and(|known| time <= *known),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_of_two_orders_only_these() {
        let mut order = Order::default();
        order.all_meet();
        let begun = order.now(0);
        assert!(!order.is_past(1, (0, begun)) && !order.is_past(0, (0, begun)));
        order.meet(0, 3, Meet::Arrives(8));
        // Later than the arrival.
        let after = order.now(0);
        order.meet(1, 3, Meet::Passes(8));
        assert!(order.is_past(1, (0, begun)) && !order.is_past(2, (0, begun)));
        assert!(!order.is_past(1, (0, after)));
        // By way of another barrier.
        order.meet(1, 3, Meet::Arrives(9));
        order.meet(2, 3, Meet::Passes(9));
        assert!(order.is_past(2, (0, begun)));
        order.all_meet();
        assert!(order.is_past(2, (0, after)) && order.now(2) > after);
    }
}
