//! BPE training: the most frequent pair becomes a token, again and again.
//!
//! Each different piece is merged once, with its count as its weight. The counts of pairs are kept from merge to merge:
//! a merge changes those of its neighbours, and no others. A queue has the pairs by count. Counts only fall after the
//! merge that made the newer of the two tokens, so an entry is checked when it comes up, and goes back if its count has
//! fallen meanwhile.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::cells::{Cells, Pair};
use super::vocabulary::pair;
use warpbook_base::diag::Diagnostic;

/// Which of several pairs with the same count is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ties {
    /// The one that the text has first.
    First,
    /// The one with the smallest ids, the left one before the right one.
    Smallest,
    /// The one with the greatest bytes, those of the left token before those of the right one.
    Greatest,
}

/// The tie-break between equal counts: the greatest wins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Position(Reverse<u32>),
    Ids(Reverse<u64>),
    Bytes(Arc<[u8]>, Arc<[u8]>),
}

struct Training {
    text: Cells,
    pairs: FxHashMap<u64, Pair>,
    tokens: Vec<Arc<[u8]>>,
    ties: Ties,
}

/// The merges of a vocabulary with `size` tokens at most, 256 of them the bytes; fewer if no pair is left. `pieces`
/// come in the text's order with their counts. `learned` is called with the number of merges so far, now and then.
///
/// # Errors
/// If the different pieces have about 2^32 bytes or more.
pub fn train(
    pieces: &[(Box<[u8]>, u64)],
    size: usize,
    ties: Ties,
    mut learned: impl FnMut(usize),
) -> Result<Vec<(u32, u32)>, Diagnostic> {
    let mut training = Training::new(pieces, ties)?;
    let mut queue =
        Queue { later: training.pairs.iter().map(|(&key, pair)| (pair.count, key)).collect(), ..Queue::default() };
    let mut merges = Vec::new();
    while 256 + merges.len() < size
        && let Some((count, _, key)) = queue.pop(&training)
    {
        let now = training.pairs[&key].count;
        if now != count {
            queue.push(&training, now, key);
            continue;
        }
        merges.push(((key >> 32) as u32, key as u32));
        for (key, count) in training.merge(key) {
            queue.push(&training, count, key);
        }
        if merges.len().is_multiple_of(1024) {
            learned(merges.len());
        }
    }
    Ok(merges)
}

/// Pairs by their counts. Most are too rare ever to be merged: they wait outside of the heap.
#[derive(Default)]
struct Queue {
    /// Those with a count of at least `floor`.
    heap: BinaryHeap<(u64, Precedence, u64)>,
    floor: u64,
    /// The others, with their counts as they were.
    later: Vec<(u64, u64)>,
}

impl Queue {
    /// `count` is the pair's count, or was: it may have fallen.
    fn push(&mut self, training: &Training, mut count: u64, key: u64) {
        if count >= self.floor {
            let pair = &training.pairs[&key];
            if pair.count >= self.floor.max(1) {
                self.heap.push(training.entry(key, pair));
                return;
            }
            count = pair.count;
        }
        if count > 0 {
            self.later.push((count, key));
        }
    }

    /// The most frequent pair, unless its count has fallen meanwhile.
    fn pop(&mut self, training: &Training) -> Option<(u64, Precedence, u64)> {
        while self.heap.is_empty() {
            self.floor = self.later.iter().map(|(count, _)| count.div_ceil(2)).max()?;
            for (count, key) in std::mem::take(&mut self.later) {
                self.push(training, count, key);
            }
        }
        self.heap.pop()
    }
}

impl Training {
    fn new(pieces: &[(Box<[u8]>, u64)], ties: Ties) -> Result<Self, Diagnostic> {
        let (text, pairs) = Cells::new(pieces)?;
        let tokens = (0..=255).map(|byte| Arc::from([byte])).collect();
        Ok(Self { text, pairs: pairs.into_iter().collect(), tokens, ties })
    }

    /// A pair's entry in the heap.
    fn entry(&self, key: u64, pair: &Pair) -> (u64, Precedence, u64) {
        let (left, right) = ((key >> 32) as u32, key as u32);
        let precedence = match self.ties {
            Ties::Smallest => Precedence::Ids(Reverse(key)),
            Ties::Greatest => {
                Precedence::Bytes(self.tokens[left as usize].clone(), self.tokens[right as usize].clone())
            }
            Ties::First => {
                let first = pair.places.iter().find(|&&place| self.text.is_at(key, place));
                Precedence::Position(Reverse(*first.expect("a pair with a count is somewhere")))
            }
        };
        (pair.count, precedence, key)
    }

    /// Merges a pair wherever it is, and returns the pairs that this has made, with their counts as made: in a run,
    /// some fall at once.
    fn merge(&mut self, key: u64) -> Vec<(u64, u64)> {
        let (left, right) = ((key >> 32) as u32, key as u32);
        let new = self.tokens.len() as u32;
        self.tokens.push([&*self.tokens[left as usize], &*self.tokens[right as usize]].concat().into());
        let merged = self.pairs.remove(&key).unwrap_or_default();
        let [before, behind] = self.text.merge(left, right, &merged.places);
        let before = before.into_iter().map(|(symbol, made)| (pair(symbol, left), pair(symbol, new), made));
        let behind = behind.into_iter().map(|(symbol, made)| (pair(right, symbol), pair(new, symbol), made));
        // New pairs are counted before old ones lose their count: in a run of equal tokens, a pair made at one place loses count at the next.
        let mut made = Vec::new();
        let mut fewer = Vec::new();
        for (old, key, pair) in before.chain(behind) {
            fewer.push((old, pair.count));
            made.push((key, pair.count));
            self.pairs.insert(key, pair);
        }
        for (old, weight) in fewer {
            // The merged pair itself, in a run of equal tokens, has no count any more.
            if let Some(pair) = self.pairs.get_mut(&old) {
                pair.count -= weight;
            }
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pattern, count::Pieces};

    /// The same by its definition: all pairs are counted anew for each merge, over the text as it is.
    fn by_definition(pattern: Pattern, text: &str, size: usize, ties: Ties) -> Vec<(u32, u32)> {
        let mut words: Vec<Vec<u32>> = pattern.pieces(text).map(|p| p.bytes().map(u32::from).collect()).collect();
        let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        let mut merges = Vec::new();
        while 256 + merges.len() < size {
            let mut order: Vec<(u32, u32)> = Vec::new();
            let mut counts: FxHashMap<(u32, u32), u64> = FxHashMap::default();
            for two in words.iter().flat_map(|word| word.windows(2)) {
                let count = counts.entry((two[0], two[1])).or_default();
                if *count == 0 {
                    order.push((two[0], two[1]));
                }
                *count += 1;
            }
            let Some(&most) = counts.values().max() else { break };
            let tied = order.iter().copied().filter(|pair| counts[pair] == most);
            let bytes = |pair: &(u32, u32)| (tokens[pair.0 as usize].clone(), tokens[pair.1 as usize].clone());
            let best = match ties {
                Ties::First => tied.take(1).next(),
                Ties::Smallest => tied.min(),
                Ties::Greatest => tied.max_by_key(bytes),
            };
            let (left, right) = best.expect("a count has its pair");
            for word in &mut words {
                let mut at = 0;
                while at + 1 < word.len() {
                    if (word[at], word[at + 1]) == (left, right) {
                        word[at] = tokens.len() as u32;
                        word.remove(at + 1);
                    }
                    at += 1;
                }
            }
            tokens.push([tokens[left as usize].clone(), tokens[right as usize].clone()].concat());
            merges.push((left, right));
        }
        merges
    }

    proptest::proptest! {
        #[test]
        fn merges_are_those_of_the_definition(text in "[ab]{0,40}( ?[abc]{1,8}){0,30}|(日本?語|ab ){0,20}") {
            for pattern in [Pattern::None, Pattern::Gpt2, Pattern::O200k] {
                for ties in [Ties::First, Ties::Smallest, Ties::Greatest] {
                    let mut pieces = Pieces::default();
                    pieces.add(pattern, &text);
                    let merges = train(&pieces.in_order(), 256 + 40, ties, |_| {}).expect("a short text");
                    proptest::prop_assert_eq!(merges, by_definition(pattern, &text, 256 + 40, ties), "{:?} {:?}", pattern, ties);
                }
            }
        }
    }

    #[test]
    fn several_cores_merge_what_one_does() {
        // Words of a few letters, drawn so that nearly all are different: enough places and bytes for several parts.
        let mut state = 1_u32;
        let mut draw = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let letters = ["a", "b", "c", "é"];
        let word = |draw: &mut dyn FnMut(u32) -> u32| {
            (0..3 + draw(10)).map(|_| letters[draw(4) as usize]).collect::<String>() + " "
        };
        let text: String = (0..60_000).map(|_| word(&mut draw)).collect();
        let mut pieces = Pieces::default();
        pieces.add(Pattern::Gpt2, &text);
        let pieces = pieces.in_order();
        for ties in [Ties::First, Ties::Smallest, Ties::Greatest] {
            let merges = train(&pieces, 256 + 24, ties, |_| {}).expect("a short text");
            assert_eq!(merges, by_definition(Pattern::Gpt2, &text, 256 + 24, ties), "{ties:?}");
        }
    }
}
