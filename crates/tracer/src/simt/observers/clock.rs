//! Vector clocks of a launch's threads (Mattern, "Virtual Time and Global States of Distributed Systems", 1989).
//!
//! A block counts time by its own events: barriers, fences, releases. An access has the time at which it happened. A
//! clock holds, for each thread, the time up to which its accesses are known to have happened before. Most threads of a
//! block or of a warp are known up to one time, so a clock holds times of whole blocks and warps, and times of single
//! threads beyond those.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::simt::lanes::lanes_of;

/// A thread of a block: its local index and its warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Thread {
    pub lane: u32,
    pub warp: u32,
}

/// The time up to which the accesses of one block's threads are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Past {
    /// Of all of them but those that left.
    all: u32,
    /// Of threads that left before the others met, by local index in order, where it is earlier.
    left: Vec<(u32, u32)>,
    /// Of whole warps, where it is later.
    warps: Vec<u32>,
    /// Of single threads, by local index, where it is later.
    lanes: Vec<(u32, u32)>,
}

impl Past {
    /// All threads up to `time`.
    pub fn of_all(time: u32) -> Self {
        Self { all: time, ..Self::default() }
    }

    /// The time up to which a thread's accesses are known.
    #[inline]
    pub fn of(&self, thread: Thread) -> u32 {
        let warp = self.warps.get(thread.warp as usize).copied().unwrap_or(0);
        let lane = self.lanes.iter().find(|(lane, _)| *lane == thread.lane).map_or(0, |(_, time)| *time);
        base(self.all, &self.left, thread.lane).max(warp).max(lane)
    }

    /// The time up to which each thread is known.
    pub fn floor(&self) -> u32 {
        self.left.iter().map(|(_, time)| *time).fold(self.all, u32::min)
    }

    /// A thread, later than those that left before, is only known up to `time`.
    pub fn leave(&mut self, lane: u32, time: u32) {
        self.left.push((lane, time));
    }

    /// Whether a thread left before the others met.
    pub fn has_left(&self, lane: u32) -> bool {
        self.left.iter().any(|(left, _)| *left == lane)
    }

    /// A warp's accesses become known up to `time`.
    pub fn see_warp(&mut self, warp: u32, time: u32) {
        if self.warps.len() <= warp as usize {
            self.warps.resize(warp as usize + 1, 0);
        }
        let known = &mut self.warps[warp as usize];
        *known = (*known).max(time);
    }

    /// Lanes of a warp of this width and with these lanes become known up to `time`.
    pub fn see_lanes(&mut self, warp: u32, lanes: u64, (width, full): (u32, u64), time: u32) {
        if lanes & full == full {
            self.see_warp(warp, time);
        } else {
            lanes_of(lanes & full).for_each(|lane| self.see(warp * width + lane, time));
        }
    }

    /// A thread's accesses become known up to `time`.
    pub fn see(&mut self, lane: u32, time: u32) {
        match self.lanes.iter_mut().find(|(known, _)| *known == lane) {
            Some((_, known)) => *known = (*known).max(time),
            None => self.lanes.push((lane, time)),
        }
    }

    /// Knows what `other` knows, too.
    pub fn join(&mut self, other: &Self) {
        let known = |lane: u32| base(self.all, &self.left, lane).max(base(other.all, &other.left, lane));
        let all = self.all.max(other.all);
        let either = self.left.iter().chain(&other.left).map(|(lane, _)| (*lane, known(*lane)));
        let mut left: Vec<(u32, u32)> = either.filter(|(_, time)| *time < all).collect();
        left.sort_unstable();
        left.dedup();
        (self.all, self.left) = (all, left);
        for (warp, time) in (0..).zip(&other.warps).filter(|(_, time)| **time > 0) {
            self.see_warp(warp, *time);
        }
        for (lane, time) in &other.lanes {
            self.see(*lane, *time);
        }
        let Self { all, left, lanes, .. } = self;
        lanes.retain(|(lane, time)| *time > base(*all, left, *lane));
    }
}

/// The time up to which a thread is known as one of all, unless it `left` before.
#[inline]
fn base(all: u32, left: &[(u32, u32)], lane: u32) -> u32 {
    if left.is_empty() {
        return all;
    }
    left.binary_search_by_key(&lane, |(lane, _)| *lane).map_or(all, |at| left[at].1)
}

/// What is known of the threads of all blocks, by block.
pub(super) type Blocks = BTreeMap<u64, Past>;

/// What a thread knows: of its own block, and of others.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Clock {
    pub own: Past,
    /// Shared among the threads that know the same.
    pub others: Arc<Blocks>,
    /// The past of sequentially consistent fences that happened before this.
    pub fenced: Arc<Blocks>,
    /// The time of the thread's own last such fence.
    pub fence: u32,
    /// The past of such fences that come before the thread's next one: it has read what was written after them.
    pub seen: Arc<Blocks>,
}

impl Clock {
    /// Knows what another thread of the block knows, too.
    pub fn join(&mut self, other: &Self) {
        self.own.join(&other.own);
        self.join_others(other);
    }

    /// Knows what another thread of the block knows of other blocks and by fences, too.
    pub fn join_others(&mut self, other: &Self) {
        join_shared(&mut self.others, &other.others);
        join_shared(&mut self.fenced, &other.fenced);
        join_shared(&mut self.seen, &other.seen);
    }

    /// Knows what `blocks` knows, too; `own` is the number of the block of this clock.
    pub fn join_blocks(&mut self, own: u64, blocks: &Arc<Blocks>) {
        if let Some(past) = blocks.get(&own) {
            self.own.join(past);
        }
        join_shared(&mut self.others, blocks);
    }

    /// Whether an access of another block's thread is known.
    pub fn knows(&self, block: u64, thread: Thread, time: u32) -> bool {
        self.others.get(&block).is_some_and(|past| time <= past.of(thread))
    }
}

/// Adds to `known` what `blocks` knows, which is shared where it is all.
pub(super) fn join_shared(known: &mut Arc<Blocks>, blocks: &Arc<Blocks>) {
    if Arc::ptr_eq(known, blocks) || blocks.is_empty() {
        return;
    }
    if known.is_empty() {
        *known = Arc::clone(blocks);
        return;
    }
    join(Arc::make_mut(known), blocks);
}

/// Adds to `known` what `blocks` knows.
pub(super) fn join(known: &mut Blocks, blocks: &Blocks) {
    for (block, past) in blocks {
        known.entry(*block).or_default().join(past);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_of_block_warp_and_thread_is_known() {
        let mut past = Past::of_all(3);
        past.see_warp(1, 5);
        past.see(40, 7);
        past.see(41, 4);
        let of = |lane| past.of(Thread { lane, warp: lane / 32 });
        assert_eq!([of(0), of(39), of(40), of(41)], [3, 5, 7, 5]);
        let mut later = Past::of_all(6);
        later.join(&past);
        // Of the single threads, one is known later than all.
        assert_eq!(later.lanes, [(40, 7)]);
    }

    #[test]
    fn threads_that_left_are_known_up_to_what_either_knows() {
        let mut past = Past::of_all(6);
        past.leave(40, 2);
        let of = |past: &Past, lane| past.of(Thread { lane, warp: lane / 32 });
        assert_eq!([of(&past, 39), of(&past, 40), past.floor()], [6, 2, 2]);
        // Where all were known up to 4, it was among them.
        past.join(&Past::of_all(4));
        assert_eq!([of(&past, 40), past.floor()], [4, 4]);
        past.see(40, 5);
        past.join(&Past::default());
        assert_eq!(of(&past, 40), 5);
        past.join(&Past::of_all(7));
        assert_eq!([of(&past, 40), past.floor()], [7, 7]);
    }

    #[test]
    fn clocks_of_blocks_are_joined() {
        let mut clock = Clock::default();
        let blocks = Arc::new(Blocks::from([(2, Past::of_all(9)), (5, Past::of_all(4))]));
        clock.join_blocks(5, &blocks);
        assert_eq!(clock.own.floor(), 4);
        let thread = Thread { lane: 1, warp: 0 };
        assert!(clock.knows(2, thread, 9) && !clock.knows(2, thread, 10) && !clock.knows(3, thread, 1));
    }
}
