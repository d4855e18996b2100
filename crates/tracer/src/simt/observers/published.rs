//! Release patterns: the writes that become visible to a thread that reads a released value (PTX ISA 9.0, section 8.8,
//! "Release and Acquire Patterns").
//!
//! A release is an access that releases, or a fence and then a strong write. A read-modify-write of another thread
//! hands on what it found; a strong store of another thread replaces it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::clock::{Blocks, Thread, join, join_shared};
use super::order::Order;
use crate::simt::ir::Sync;

/// The release patterns that the present value of a word belongs to.
#[derive(Default)]
struct Value {
    /// The thread that published last: its block, and its local index.
    by: Option<(u64, u32)>,
    /// To all blocks.
    wide: Option<Arc<Blocks>>,
    /// To the threads of single blocks, which published it.
    narrow: Vec<(u64, Arc<Blocks>)>,
    /// The past of the sequentially consistent fences that come before writes to the word: they come before such a
    /// fence of whoever reads it, so that this happens before what follows there (PTX ISA 9.0, section 8.10.3,
    /// "Fence-SC").
    fenced: Arc<Blocks>,
}

impl Value {
    /// What a thread of a block may acquire by an access of this scope.
    fn seen(&self, block: u64, wide: bool) -> Option<Arc<Blocks>> {
        let own = self.narrow.iter().find(|(of, _)| *of == block).map(|(_, blocks)| blocks);
        let others = self.wide.as_ref().filter(|_| wide);
        match (own, others) {
            (Some(own), Some(others)) => {
                let mut both = Arc::clone(others);
                join(Arc::make_mut(&mut both), own);
                Some(both)
            }
            (one, other) => one.or(other).cloned(),
        }
    }

    fn add(&mut self, block: u64, [wide, narrow]: [Option<Blocks>; 2]) {
        if let Some(wide) = wide {
            join(Arc::make_mut(self.wide.get_or_insert_default()), &wide);
        }
        let Some(blocks) = narrow else { return };
        match self.narrow.iter_mut().find(|(of, _)| *of == block) {
            Some((_, known)) => join(Arc::make_mut(known), &blocks),
            None => self.narrow.push((block, Arc::new(blocks))),
        }
    }
}

/// The part of a strong access in the order of others.
#[derive(Clone, Copy)]
pub(super) struct Strong {
    pub sync: Sync,
    pub reads: bool,
    pub writes: bool,
}

/// The release patterns of all words, by buffer and word.
#[derive(Default)]
pub(super) struct Published(FxHashMap<(u32, u32), Value>);

impl Published {
    /// Nothing yet.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether a thread of a block has released what it knew at `time` or later with the present value of a word, to
    /// all blocks.
    pub fn is_released(&self, word: (u32, u32), block: u64, thread: Thread, time: u32) -> bool {
        let past = self.0.get(&word).and_then(|value| value.wide.as_ref()?.get(&block));
        past.is_some_and(|past| past.of(thread) >= time)
    }

    /// A thread accesses a word by a strong access.
    pub fn access(&mut self, word: (u32, u32), thread: Thread, strong: Strong, order: &mut Order) {
        let Strong { sync, reads, writes } = strong;
        let block = order.block();
        if reads && let Some(value) = self.0.get(&word) {
            if sync.wide && !value.fenced.is_empty() {
                order.see(thread, &value.fenced);
            }
            if sync.acquires {
                value.seen(block, sync.wide).iter().for_each(|seen| order.acquire_now(thread, seen));
            } else {
                value.seen(block, false).iter().for_each(|seen| order.pend(thread, seen, false));
                value.wide.iter().filter(|_| sync.wide).for_each(|seen| order.pend(thread, seen, true));
            }
        }
        if !writes {
            return;
        }
        let new = order.published(thread, sync.releases, sync.wide);
        let by = (block, thread.lane);
        if !reads && let Some(value) = self.0.get_mut(&word).filter(|value| value.by != Some(by)) {
            *value = Value { fenced: std::mem::take(&mut value.fenced), ..Value::default() };
        }
        if sync.wide
            && let Some(fenced) = order.fenced(thread)
        {
            join_shared(&mut self.0.entry(word).or_default().fenced, &fenced);
        }
        if new.iter().any(Option::is_some) {
            let value = self.0.entry(word).or_default();
            value.by = Some(by);
            value.add(block, new);
        }
    }
}
