//! The words that threads hand to each other by strong accesses: where those order nothing, a fence is missing.

use rustc_hash::FxHashMap;

use super::deed::Deed;
use super::mend::Mend;
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

    /// The access by which `second` took a word that `first` had written after its own access; None if there is none. Of different
    /// blocks, any of their threads may have done it.
    pub fn taken(&self, first: &Far, second: &Far) -> Option<Mark> {
        let is_by = |access: &Far, of: &Far| {
            access.block == of.block && (first.block != second.block || access.is_of_thread(of))
        };
        let found = self.0.values().filter_map(|accesses| {
            let gives = |access: &&Far| {
                is_by(access, first) && access.mark.deed.writes() && access.mark.time >= first.mark.time
            };
            let given = accesses.iter().position(|access| gives(&access))?;
            accesses[given + 1..].iter().find(|access| is_by(access, second)).map(|access| access.mark)
        });
        found.min_by_key(|mark| mark.site)
    }

    /// The fences that were missing between two accesses, if the threads handed a word over in between; `missing` says which, of the
    /// access by which the second one took it.
    pub fn fence(
        &self,
        code: &Code,
        first: &Far,
        second: &Far,
        missing: impl FnOnce(&Mark) -> [bool; 2],
    ) -> Option<Mend> {
        let taken = self.taken(first, second)?;
        let loads = matches!(taken.deed, Deed::Fetch | Deed::Poll | Deed::VolatileRead);
        let within = first.block == second.block;
        Some(Mend::Fence { line: code.places[taken.site as usize].line, loads, missing: missing(&taken), within })
    }
}
