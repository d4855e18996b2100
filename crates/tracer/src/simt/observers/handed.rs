//! The words that threads hand to each other by strong accesses: where those order nothing, a fence is missing.

use rustc_hash::FxHashMap;

use super::deed::Deed;
use super::fix::Fix;
use super::word::{Access, Far, Mark};
use crate::simt::code::Code;

/// Strong accesses to a word that are kept, the last of each thread.
const MOST: usize = 64;

/// The strong accesses to words, by memory and word, in their order.
#[derive(Default)]
pub(super) struct Handed(FxHashMap<(u32, u32), Vec<Far>>);

impl Handed {
    /// Nothing yet.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// A strong access to a word.
    pub fn add(&mut self, word: (u32, u32), by: Far) {
        let accesses = self.0.entry(word).or_default();
        accesses.retain(|access| !access.is_of_thread(&by));
        if accesses.len() == MOST {
            accesses.remove(0);
        }
        accesses.push(by);
    }

    /// How `second` took over a word that `first` had handed over after its own access, another one than theirs, which
    /// is `of` some memory; None if it did not. Of different blocks, any of their threads may have done it.
    pub fn passed(&self, first: &Far, second: &Far, of: (u32, u32)) -> Option<Passed> {
        let is_by = |access: &Far, of: &Far| {
            access.block == of.block && (first.block != second.block || access.is_of_thread(of))
        };
        let found = self.0.iter().filter(|(word, _)| **word != of).filter_map(|(word, accesses)| {
            let gives = |access: &&Far| {
                is_by(access, first) && access.mark.deed.writes() && access.mark.time >= first.mark.time
            };
            let given = accesses.iter().position(|access| gives(&access))?;
            let taken = accesses[given + 1..].iter().find(|access| is_by(access, second))?;
            Some(Passed { word: *word, given: accesses[given].mark, taken: taken.mark })
        });
        found.max_by_key(|passed| (passed.taken.time, passed.word))
    }
}

/// A word that one thread wrote and another took over, by strong accesses.
#[derive(Clone, Copy)]
pub(super) struct Passed {
    /// Its memory and its number.
    pub word: (u32, u32),
    /// The access that wrote it.
    pub given: Mark,
    /// The one that took it.
    pub taken: Mark,
}

impl Passed {
    /// The fences that would have ordered two accesses around it; `missing` says which are.
    pub fn fence(&self, code: &Code, within: bool, missing: [bool; 2]) -> Fix {
        let loads = matches!(self.taken.deed, Deed::Fetch | Deed::Poll | Deed::VolatileRead);
        Fix::Fence { line: code.places[self.taken.site as usize].line, loads, missing, within }
    }
}
