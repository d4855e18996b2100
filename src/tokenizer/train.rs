//! Training: the most frequent pair becomes a token, again and again.
//!
//! Each different piece is merged once, with its count as its weight. The counts of pairs are kept from merge to merge: a merge changes those of its neighbours, and
//! no others. A heap has the pairs by count. Counts only fall after the merge that made the newer of the two tokens, so an entry is checked when it comes up, and
//! goes back if its count has fallen meanwhile.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::vocabulary::pair;

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

/// No position.
const NONE: u32 = u32::MAX;

/// What decides between equal counts: the greatest wins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Position(Reverse<u32>),
    Ids(Reverse<u64>),
    Bytes(Arc<[u8]>, Arc<[u8]>),
}

/// A pair's weight in the text, and where its left token is or was.
#[derive(Default)]
struct Pair {
    count: u64,
    places: Vec<u32>,
}

struct Training {
    /// The tokens of all pieces, one behind the other; [`NONE`] if merged into the one before.
    symbols: Vec<u32>,
    next: Vec<u32>,
    before: Vec<u32>,
    /// The piece of each token.
    piece: Vec<u32>,
    weights: Vec<u64>,
    pairs: FxHashMap<u64, Pair>,
    tokens: Vec<Arc<[u8]>>,
    ties: Ties,
}

/// The merges of a vocabulary with `size` tokens at most, 256 of them the bytes; fewer if no pair is left. `pieces` come in the text's order with their counts.
/// `learned` is called with the number of merges so far, now and then.
///
/// # Panics
/// If the different pieces have 2^32 bytes or more.
pub fn train(pieces: &[(Box<[u8]>, u64)], size: usize, ties: Ties, mut learned: impl FnMut(usize)) -> Vec<(u32, u32)> {
    let mut training = Training::new(pieces, ties);
    let mut heap: BinaryHeap<(u64, Precedence, u64)> =
        training.pairs.iter().map(|(&key, pair)| training.entry(key, pair)).collect();
    let mut merges = Vec::new();
    while 256 + merges.len() < size
        && let Some((count, _, key)) = heap.pop()
    {
        let current = &training.pairs[&key];
        if current.count != count {
            if current.count > 0 {
                heap.push(training.entry(key, current));
            }
            continue;
        }
        merges.push(((key >> 32) as u32, key as u32));
        for key in training.merge(key) {
            if let Some(made) = training.pairs.get(&key).filter(|made| made.count > 0) {
                heap.push(training.entry(key, made));
            }
        }
        if merges.len().is_multiple_of(1024) {
            learned(merges.len());
        }
    }
    merges
}

impl Training {
    fn new(pieces: &[(Box<[u8]>, u64)], ties: Ties) -> Self {
        let bytes: usize = pieces.iter().map(|(piece, _)| piece.len()).sum();
        assert!(
            u32::try_from(bytes).is_ok_and(|bytes| bytes != NONE),
            "too much text to train on at once: {bytes} bytes"
        );
        let mut training = Self {
            symbols: Vec::with_capacity(bytes),
            next: Vec::with_capacity(bytes),
            before: Vec::with_capacity(bytes),
            piece: Vec::with_capacity(bytes),
            weights: pieces.iter().map(|(_, count)| *count).collect(),
            pairs: FxHashMap::default(),
            tokens: (0..=255).map(|byte| Arc::from([byte])).collect(),
            ties,
        };
        for (number, (piece, weight)) in (0_u32..).zip(pieces) {
            for (at, &byte) in piece.iter().enumerate() {
                let here = training.symbols.len() as u32;
                training.symbols.push(u32::from(byte));
                training.before.push(if at == 0 { NONE } else { here - 1 });
                training.next.push(if at + 1 == piece.len() { NONE } else { here + 1 });
                training.piece.push(number);
                if at > 0 {
                    let entry = training.pairs.entry(pair(u32::from(piece[at - 1]), u32::from(byte))).or_default();
                    entry.count += weight;
                    entry.places.push(here - 1);
                }
            }
        }
        training
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
                let places = pair.places.iter().copied();
                Precedence::Position(Reverse(places.filter(|&at| self.is_at(key, at)).min().unwrap_or(NONE)))
            }
        };
        (pair.count, precedence, key)
    }

    /// Whether the pair is at a position now.
    fn is_at(&self, key: u64, at: u32) -> bool {
        let right = self.next[at as usize];
        right != NONE && pair(self.symbols[at as usize], self.symbols[right as usize]) == key
    }

    /// Merges a pair wherever it is, from left to right, and returns the pairs that this has made.
    fn merge(&mut self, key: u64) -> FxHashSet<u64> {
        let (left, right) = ((key >> 32) as u32, key as u32);
        let new = self.tokens.len() as u32;
        self.tokens.push([&*self.tokens[left as usize], &*self.tokens[right as usize]].concat().into());
        let mut places = self.pairs.remove(&key).map(|pair| pair.places).unwrap_or_default();
        // A run of equal tokens is merged from its left end.
        places.sort_unstable();
        let mut made = FxHashSet::default();
        for at in places {
            if !self.is_at(key, at) {
                continue;
            }
            let merged = self.next[at as usize];
            let (before, behind) = (self.before[at as usize], self.next[merged as usize]);
            let weight = self.weights[self.piece[at as usize] as usize];
            self.symbols[at as usize] = new;
            self.symbols[merged as usize] = NONE;
            self.next[at as usize] = behind;
            // A merged token has no neighbour, so that no pair is found at its place.
            self.next[merged as usize] = NONE;
            if before != NONE {
                let symbol = self.symbols[before as usize];
                self.fewer(pair(symbol, left), weight);
                made.insert(self.more(pair(symbol, new), weight, before));
            }
            if behind != NONE {
                self.before[behind as usize] = at;
                let symbol = self.symbols[behind as usize];
                self.fewer(pair(right, symbol), weight);
                made.insert(self.more(pair(new, symbol), weight, at));
            }
        }
        made
    }

    fn fewer(&mut self, key: u64, weight: u64) {
        // The merged pair itself, in a run of equal tokens, has no count any more.
        if let Some(pair) = self.pairs.get_mut(&key) {
            pair.count -= weight;
        }
    }

    fn more(&mut self, key: u64, weight: u64, at: u32) -> u64 {
        let pair = self.pairs.entry(key).or_default();
        pair.count += weight;
        pair.places.push(at);
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::{Pattern, count::Pieces};

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
                    let merges = train(&pieces.in_order(), 256 + 40, ties, |_| {});
                    proptest::prop_assert_eq!(merges, by_definition(pattern, &text, 256 + 40, ties), "{:?} {:?}", pattern, ties);
                }
            }
        }
    }
}
