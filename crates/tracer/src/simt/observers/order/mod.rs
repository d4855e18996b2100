//! The happens-before relation among the threads of a launch, as PTX's memory model and WGSL's define it.
//!
//! Program order; barriers of a block, of some of its warps, of lanes of a warp, and in shared memory; and releases
//! that another thread acquires ([`super::published`]). Each thread knows up to which time the accesses of the others
//! happened before its next one.
//!
//! After a barrier of the whole block all threads know the same, and no clock is needed until some of them meet in
//! another way.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::clock::{Blocks, Clock, Past, Thread, join, join_shared};
use crate::simt::collective::Fence;
use crate::simt::lanes::lanes_of;

/// How lanes of a warp meet others, or each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meet {
    /// They arrive at a barrier: what they did happens before what those do that pass it.
    Arrives(u32),
    /// All have arrived at a barrier: its next phase begins.
    Completes(u32),
    /// They pass the barrier.
    Passes(u32),
    /// They wait for each other.
    Lanes,
    /// The other threads of the workgroup are about to pass a barrier without them: they have left the kernel, or wait
    /// elsewhere.
    Misses,
    /// A memory fence.
    Fence(Fence),
}

/// Lanes of a warp that know the same.
#[derive(Clone)]
struct Group {
    mask: u64,
    clock: Arc<Clock>,
}

/// The clocks that a barrier joins.
#[derive(Default)]
struct Barrier {
    /// From those that have arrived in the present phase.
    arrived: Clock,
    /// From those of the phase that was completed last.
    passed: Clock,
}

/// The last fence that releases of some lanes of a warp.
struct Released {
    warp: u32,
    wide: bool,
    group: Group,
    time: u32,
}

/// What a lane has read from strong accesses and does not know before its next fence.
struct Pending {
    thread: Thread,
    /// Whether only a fence beyond the block acquires it: a thread of another block published it.
    wide: bool,
    blocks: Arc<Blocks>,
}

/// The clocks of one block at a time.
pub(super) struct Order {
    block: u64,
    /// Lanes of a warp.
    width: u32,
    /// The exponent of the width, a power of two.
    shift: u32,
    /// By warp, the mask of its lanes.
    full: Vec<u64>,
    now: u32,
    /// The knowledge of each thread when all last met.
    common: Clock,
    /// The time up to which all threads know of each other.
    floor: u32,
    /// By warp, what its lanes know; empty where all know the same.
    groups: Vec<Vec<Group>>,
    /// By warp, the lanes that miss the barrier that all others are about to pass.
    missing: Vec<u64>,
    barriers: FxHashMap<u32, Barrier>,
    fences: Vec<Released>,
    pending: Vec<Pending>,
}

impl Order {
    /// For blocks of `threads` in warps of `width` lanes.
    pub fn new(threads: u32, width: u32) -> Self {
        let full = (0..threads.div_ceil(width)).map(|warp| {
            let lanes = (threads - warp * width).min(width);
            u64::MAX >> (64 - lanes)
        });
        Self {
            block: 0,
            width,
            shift: width.trailing_zeros(),
            full: full.collect(),
            now: 0,
            common: Clock::default(),
            floor: 0,
            groups: Vec::new(),
            missing: vec![0; threads.div_ceil(width) as usize],
            barriers: FxHashMap::default(),
            fences: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// Block number `block` begins. What others did in their blocks is known by none of its threads, and counts as past
    /// where the same words of shared memory are concerned.
    pub fn start(&mut self, block: u64) {
        self.block = block;
        self.common = Clock { own: Past::of_all(self.now), ..Clock::default() };
        self.floor = self.now;
        self.now += 1;
        self.groups.clear();
        self.missing.fill(0);
        self.barriers.clear();
        self.fences.clear();
        self.pending.clear();
    }

    /// All threads of the block meet, but those that miss it.
    pub fn all_meet(&mut self) {
        let mut common = std::mem::take(&mut self.common);
        let mut behind = Vec::new();
        for (warp, groups) in (0..).zip(&self.groups) {
            let missing = self.missing[warp as usize];
            for group in groups {
                let came = group.mask & self.full[warp as usize] & !missing;
                if came != 0 {
                    common.join_others(&group.clock);
                    self.add_fences(&mut common, warp, came, group.clock.fence);
                }
            }
        }
        let before = std::mem::replace(&mut common.own, Past::of_all(self.now));
        for (warp, lanes) in (0..).zip(&self.missing).filter(|(_, lanes)| **lanes != 0) {
            let of_warp = self.groups.get(warp as usize);
            for lane in lanes_of(*lanes) {
                let thread = Thread { lane: warp * self.width + lane, warp };
                let known = self.groups.iter().flatten().map(|group| group.clock.own.of(thread)).max();
                common.own.leave(thread.lane, known.unwrap_or_else(|| before.of(thread)));
            }
            let groups = of_warp.cloned().unwrap_or_else(|| {
                let clock = Clock { own: before.clone(), ..common.clone() };
                vec![Group { mask: u64::MAX, clock: Arc::new(clock) }]
            });
            let groups = groups.into_iter().map(|group| Group { mask: group.mask & lanes, ..group });
            behind.push((warp, groups.filter(|group| group.mask != 0).collect::<Vec<_>>()));
        }
        self.now += 1;
        self.groups.clear();
        self.floor = common.own.floor();
        self.common = common;
        // Those that missed it know what they knew.
        for (warp, behind) in behind {
            let missing = std::mem::take(&mut self.missing[warp as usize]);
            let groups = self.groups_of(warp);
            groups.iter_mut().for_each(|group| group.mask &= !missing);
            groups.extend(behind);
        }
        let floors = self.groups.iter().flatten().map(|group| group.clock.own.floor());
        self.floor = floors.fold(self.floor, u32::min);
    }

    /// Lanes of a warp, whose last sequentially consistent fence was at this time, tell others of it.
    fn add_fences(&self, clock: &mut Clock, warp: u32, lanes: u64, fence: u32) {
        if fence == 0 {
            return;
        }
        let own = Arc::make_mut(&mut clock.fenced).entry(self.block).or_default();
        own.see_lanes(warp, lanes, (self.width, self.full[warp as usize]), fence);
    }

    /// The present time.
    #[inline]
    pub fn now(&self) -> u32 {
        self.now
    }

    /// The present block.
    pub fn block(&self) -> u64 {
        self.block
    }

    /// The time up to which all threads know of each other.
    #[inline]
    pub fn floor(&self) -> u32 {
        self.floor
    }

    /// Whether a thread missed the last barrier of the workgroup.
    pub fn has_left(&self, thread: Thread) -> bool {
        self.common.own.has_left(thread.lane)
    }

    /// Whether its threads do not all know the same of each other.
    pub fn is_parted(&self) -> bool {
        !self.groups.is_empty()
    }

    /// The thread of a local index.
    #[inline]
    pub fn thread(&self, lane: u32) -> Thread {
        Thread { lane, warp: lane >> self.shift }
    }

    /// Whether what `other` did at `time` happened before what `thread` does now, both of this block and different.
    #[inline]
    pub fn is_past(&self, thread: Thread, other: Thread, time: u32) -> bool {
        time <= self.floor || !self.groups.is_empty() && time <= self.clock(thread).own.of(other)
    }

    /// The same of a thread of another block.
    pub fn is_past_of(&self, thread: Thread, block: u64, other: Thread, time: u32) -> bool {
        self.clock(thread).knows(block, other, time)
    }

    fn clock(&self, thread: Thread) -> &Clock {
        let bit = 1_u64 << (thread.lane % self.width);
        let groups = self.groups.get(thread.warp as usize);
        let group = groups.and_then(|groups| groups.iter().find(|group| group.mask & bit != 0));
        group.map_or(&self.common, |group| &group.clock)
    }

    /// Lanes of a warp meet others.
    pub fn meet(&mut self, warp: u32, mask: u64, how: Meet) {
        if warp as usize >= self.full.len() {
            return;
        }
        match how {
            Meet::Arrives(barrier) => {
                let clock = self.known(warp, mask);
                self.barriers.entry(barrier).or_default().arrived.join(&clock);
                self.now += 1;
            }
            Meet::Completes(barrier) => {
                let barrier = self.barriers.entry(barrier).or_default();
                barrier.passed = std::mem::take(&mut barrier.arrived);
            }
            Meet::Passes(barrier) => {
                let Some(passed) = self.barriers.get(&barrier).map(|barrier| barrier.passed.clone()) else { return };
                self.learn(warp, mask, |clock| clock.join(&passed));
            }
            Meet::Lanes => {
                let clock = Arc::new(self.known(warp, mask));
                self.now += 1;
                let groups = self.groups_of(warp);
                groups.iter_mut().for_each(|group| group.mask &= !mask);
                groups.retain(|group| group.mask != 0);
                groups.push(Group { mask, clock });
            }
            Meet::Misses => self.missing[warp as usize] |= mask & self.full[warp as usize],
            Meet::Fence(fence) => self.fence(warp, mask, fence),
        }
    }

    /// A fence acquires what its lanes have read, and from now on they release what they know here.
    fn fence(&mut self, warp: u32, mask: u64, fence: Fence) {
        let Fence { wide, acquires, releases, sc } = fence;
        let is_acquired = |of: &Pending| {
            let is_here = of.thread.warp == warp && mask >> (of.thread.lane % self.width) & 1 == 1;
            acquires && is_here && (wide || !of.wide)
        };
        let (read, pending): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pending).into_iter().partition(is_acquired);
        self.pending = pending;
        for Pending { thread, blocks, .. } in read {
            self.acquire_now(thread, &blocks);
        }
        if sc && wide {
            let (block, now) = (self.block, self.now);
            self.learn(warp, mask, |clock| {
                let seen = Arc::clone(&clock.seen);
                clock.join_blocks(block, &seen);
                let Clock { own, others, fenced, .. } = &*clock;
                let mut fenced = Arc::clone(fenced);
                join_shared(&mut fenced, others);
                Arc::make_mut(&mut fenced).entry(block).or_default().join(own);
                (clock.fenced, clock.fence) = (fenced, now);
            });
        }
        if !releases {
            return;
        }
        for fence in self.fences.iter_mut().filter(|fence| fence.warp == warp && (wide || !fence.wide)) {
            fence.group.mask &= !mask;
        }
        self.fences.retain(|fence| fence.group.mask != 0);
        let time = self.now;
        let groups = self.groups.get(warp as usize).cloned();
        let groups = groups.unwrap_or_else(|| vec![Group { mask, clock: Arc::new(self.common.clone()) }]);
        for Group { mask: lanes, clock } in groups {
            let lanes = lanes & mask;
            if lanes != 0 {
                self.fences.push(Released { warp, wide, group: Group { mask: lanes, clock }, time });
            }
        }
        self.now += 1;
    }

    /// The clocks that a thread's strong write releases now: at scopes beyond the block, and within it. The access
    /// itself releases if `releases`; otherwise the thread's last fence does.
    pub fn published(&mut self, thread: Thread, releases: bool, wide: bool) -> [Option<Blocks>; 2] {
        let mut out = [None, None];
        let mut add = |is_wide: bool, blocks: Blocks| {
            for out in &mut out[usize::from(!is_wide)..] {
                join(out.get_or_insert_default(), &blocks);
            }
        };
        let bit = 1_u64 << (thread.lane % self.width);
        for fence in self.fences.iter().filter(|fence| fence.warp == thread.warp && fence.group.mask & bit != 0) {
            add(fence.wide && wide, self.blocks(&fence.group.clock, thread, fence.time));
        }
        if releases {
            add(wide, self.blocks(self.clock(thread), thread, self.now));
            self.now += 1;
        }
        out
    }

    /// A clock as what is known of all blocks, with what `thread` itself did up to `time`.
    fn blocks(&self, clock: &Clock, thread: Thread, time: u32) -> Blocks {
        let mut blocks = (*clock.others).clone();
        let own = blocks.entry(self.block).or_default();
        own.join(&clock.own);
        own.see(thread.lane, time);
        blocks
    }

    /// A thread reads a value by a strong access: after its next fence it knows what was published with it; of what
    /// another block's thread published (`wide`), after its next one with a scope beyond the block.
    pub fn pend(&mut self, thread: Thread, blocks: &Arc<Blocks>, wide: bool) {
        match self.pending.iter_mut().find(|of| of.thread == thread && of.wide == wide) {
            Some(of) if Arc::ptr_eq(&of.blocks, blocks) => {}
            Some(of) => join(Arc::make_mut(&mut of.blocks), blocks),
            None => self.pending.push(Pending { thread, wide, blocks: Arc::clone(blocks) }),
        }
    }

    /// A thread reads a value by an access that acquires what was published with it.
    pub fn acquire_now(&mut self, thread: Thread, blocks: &Arc<Blocks>) {
        let block = self.block;
        self.learn(thread.warp, 1 << (thread.lane % self.width), |clock| clock.join_blocks(block, blocks));
    }

    /// The past of the sequentially consistent fences that come before the next access of `thread`; None if there are
    /// none.
    pub fn fenced(&self, thread: Thread) -> Option<Arc<Blocks>> {
        let clock = self.clock(thread);
        let mut fenced = Arc::clone(&clock.fenced);
        if clock.fence > 0 {
            Arc::make_mut(&mut fenced).entry(self.block).or_default().see(thread.lane, clock.fence);
        }
        (!fenced.is_empty()).then_some(fenced)
    }

    /// A thread reads what was written after sequentially consistent fences: they come before its next one.
    pub fn see(&mut self, thread: Thread, fenced: &Arc<Blocks>) {
        if !Arc::ptr_eq(&self.clock(thread).seen, fenced) {
            self.learn(thread.warp, 1 << (thread.lane % self.width), |clock| join_shared(&mut clock.seen, fenced));
        }
    }

    /// Whether a thread has read what would make an access of another thread past, and only lacks a fence.
    pub fn lacks_a_fence(&self, thread: Thread, block: u64, other: Thread, time: u32) -> bool {
        let knows = |blocks: &Blocks| blocks.get(&block).is_some_and(|past| time <= past.of(other));
        let is_pending = self.pending.iter().any(|of| of.thread == thread && knows(&of.blocks));
        is_pending || knows(&self.clock(thread).seen)
    }

    /// Whether a thread has passed a fence since `time`.
    pub fn has_fence_since(&self, thread: Thread, time: u32) -> bool {
        let bit = 1_u64 << (thread.lane % self.width);
        self.fences.iter().any(|fence| fence.warp == thread.warp && fence.group.mask & bit != 0 && fence.time >= time)
    }

    /// What lanes of a warp know together, with what they did themselves.
    fn known(&self, warp: u32, mask: u64) -> Clock {
        let mut clock = match self.groups.get(warp as usize) {
            Some(groups) => {
                let mut of_lanes = groups.iter().filter(|group| group.mask & mask != 0);
                let mut clock = of_lanes.next().map_or_else(Clock::default, |group| (*group.clock).clone());
                of_lanes.for_each(|group| clock.join(&group.clock));
                clock
            }
            None => self.common.clone(),
        };
        clock.own.see_lanes(warp, mask, (self.width, self.full[warp as usize]), self.now);
        clock.fence = 0;
        for group in self.groups.get(warp as usize).into_iter().flatten() {
            self.add_fences(&mut clock, warp, group.mask & mask, group.clock.fence);
        }
        clock
    }

    fn groups_of(&mut self, warp: u32) -> &mut Vec<Group> {
        if self.groups.is_empty() {
            let all = Group { mask: u64::MAX, clock: Arc::new(self.common.clone()) };
            self.groups = vec![vec![all]; self.full.len()];
        }
        &mut self.groups[warp as usize]
    }

    /// Changes what lanes of a warp know.
    fn learn(&mut self, warp: u32, mask: u64, change: impl Fn(&mut Clock)) {
        let groups = self.groups_of(warp);
        let mut changed = Vec::new();
        for group in groups.iter_mut().filter(|group| group.mask & mask != 0) {
            let lanes = group.mask & mask;
            group.mask &= !lanes;
            let mut clock = Arc::clone(&group.clock);
            change(Arc::make_mut(&mut clock));
            changed.push(Group { mask: lanes, clock });
        }
        groups.retain(|group| group.mask != 0);
        groups.extend(changed);
    }
}

#[cfg(test)]
mod tests;
