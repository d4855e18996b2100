//! Training: the most frequent pair becomes a token, again and again.
//!
//! Each different piece is merged once, with its count as its weight. The counts of pairs are kept from merge to merge: a merge changes those of its neighbours, and
//! no others. A queue has the pairs by count. Counts only fall after the merge that made the newer of the two tokens, so an entry is checked when it comes up, and
//! goes back if its count has fallen meanwhile.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

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

/// A token of a piece.
#[derive(Clone, Copy)]
struct Token {
    /// Its id; [`NONE`] if merged into the one before.
    symbol: u32,
    /// The token behind it in the piece; [`NONE`] at the end, and for a token that was merged.
    next: u32,
    before: u32,
    piece: u32,
}

struct Training {
    /// Those of all pieces, one behind the other.
    text: Vec<Token>,
    weights: Vec<u64>,
    pairs: FxHashMap<u64, Pair>,
    tokens: Vec<Arc<[u8]>>,
    ties: Ties,
    /// What a merge changes before and behind its places.
    sides: [Side; 2],
}

/// The neighbours that a merge finds on one side, each once: a frequent pair has many places and few neighbours.
#[derive(Default)]
struct Side {
    /// For each token, its place in `neighbours` and 1; 0 if it is none.
    listed: Vec<u32>,
    /// Each with its pairs' weight and places.
    neighbours: Vec<(u32, Pair)>,
}

impl Side {
    fn add(&mut self, symbol: u32, weight: u64, place: u32) {
        let at = symbol as usize;
        if at >= self.listed.len() {
            self.listed.resize(at + 1, 0);
        }
        if self.listed[at] == 0 {
            self.neighbours.push((symbol, Pair::default()));
            self.listed[at] = self.neighbours.len() as u32;
        }
        let (_, pair) = &mut self.neighbours[self.listed[at] as usize - 1];
        pair.count += weight;
        pair.places.push(place);
    }

    fn take(&mut self) -> Vec<(u32, Pair)> {
        let neighbours = std::mem::take(&mut self.neighbours);
        neighbours.iter().for_each(|(symbol, _)| self.listed[*symbol as usize] = 0);
        neighbours
    }
}

/// The merges of a vocabulary with `size` tokens at most, 256 of them the bytes; fewer if no pair is left. `pieces` come in the text's order with their counts.
/// `learned` is called with the number of merges so far, now and then.
///
/// # Panics
/// If the different pieces have 2^32 bytes or more.
pub fn train(pieces: &[(Box<[u8]>, u64)], size: usize, ties: Ties, mut learned: impl FnMut(usize)) -> Vec<(u32, u32)> {
    let mut training = Training::new(pieces, ties);
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
        for key in training.merge(key) {
            queue.push(&training, training.pairs[&key].count, key);
        }
        if merges.len().is_multiple_of(1024) {
            learned(merges.len());
        }
    }
    merges
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
    fn push(&mut self, training: &Training, count: u64, key: u64) {
        if count >= self.floor.max(1) {
            self.heap.push(training.entry(key, &training.pairs[&key]));
        } else if count > 0 {
            self.later.push((count, key));
        }
    }

    /// The most frequent pair, unless its count has fallen meanwhile.
    fn pop(&mut self, training: &Training) -> Option<(u64, Precedence, u64)> {
        while self.heap.is_empty() {
            self.floor = self.later.iter().map(|(count, _)| count.div_ceil(2)).max()?;
            for (count, key) in std::mem::take(&mut self.later) {
                let is_due = count >= self.floor;
                let now = if is_due { training.pairs[&key].count } else { count };
                self.push(training, now, key);
            }
        }
        self.heap.pop()
    }
}

impl Training {
    fn new(pieces: &[(Box<[u8]>, u64)], ties: Ties) -> Self {
        let bytes: usize = pieces.iter().map(|(piece, _)| piece.len()).sum();
        assert!(
            u32::try_from(bytes).is_ok_and(|bytes| bytes != NONE),
            "too much text to train on at once: {bytes} bytes"
        );
        let mut text = Vec::with_capacity(bytes);
        let weights: Vec<u64> = pieces.iter().map(|(_, count)| *count).collect();
        // A table of all pairs of bytes.
        let mut counts = vec![(0_usize, 0_u64); 1 << 16];
        for (piece, weight) in pieces {
            for two in piece.windows(2) {
                let (places, count) = &mut counts[usize::from(two[0]) << 8 | usize::from(two[1])];
                *places += 1;
                *count += weight;
            }
        }
        let with_room = |&(places, count): &(usize, u64)| Pair { count, places: Vec::with_capacity(places) };
        let mut pairs: Vec<Pair> = counts.iter().map(with_room).collect();
        for (number, (piece, _)) in (0_u32..).zip(pieces) {
            for (at, &byte) in piece.iter().enumerate() {
                let here = text.len() as u32;
                let next = if at + 1 == piece.len() { NONE } else { here + 1 };
                let before = if at == 0 { NONE } else { here - 1 };
                text.push(Token { symbol: u32::from(byte), next, before, piece: number });
                if let Some(&behind) = piece.get(at + 1) {
                    pairs[usize::from(byte) << 8 | usize::from(behind)].places.push(here);
                }
            }
        }
        let key = |at: usize| pair(at as u32 >> 8, at as u32 & 255);
        let found = pairs.into_iter().enumerate().filter(|(_, pair)| pair.count > 0);
        Self {
            text,
            weights,
            pairs: found.map(|(at, pair)| (key(at), pair)).collect(),
            tokens: (0..=255).map(|byte| Arc::from([byte])).collect(),
            ties,
            sides: [Side::default(), Side::default()],
        }
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
        let Token { symbol, next, .. } = self.text[at as usize];
        next != NONE && pair(symbol, self.text[next as usize].symbol) == key
    }

    /// Merges a pair wherever it is, from left to right, and returns the pairs that this has made.
    fn merge(&mut self, key: u64) -> Vec<u64> {
        let (left, right) = ((key >> 32) as u32, key as u32);
        let new = self.tokens.len() as u32;
        self.tokens.push([&*self.tokens[left as usize], &*self.tokens[right as usize]].concat().into());
        let mut places = self.pairs.remove(&key).map(|pair| pair.places).unwrap_or_default();
        // A run of equal tokens is merged from its left end.
        places.sort_unstable();
        for at in places {
            if !self.is_at(key, at) {
                continue;
            }
            let Token { next: merged, before, piece, .. } = self.text[at as usize];
            let behind = self.text[merged as usize].next;
            let weight = self.weights[piece as usize];
            self.text[at as usize].symbol = new;
            self.text[at as usize].next = behind;
            // A merged token has no neighbour, so that no pair is found at its place.
            self.text[merged as usize].symbol = NONE;
            self.text[merged as usize].next = NONE;
            if before != NONE {
                self.sides[0].add(self.text[before as usize].symbol, weight, before);
            }
            if behind != NONE {
                self.text[behind as usize].before = at;
                self.sides[1].add(self.text[behind as usize].symbol, weight, at);
            }
        }
        let [before, behind] = &mut self.sides;
        let before = before.take().into_iter().map(|(symbol, made)| (pair(symbol, left), pair(symbol, new), made));
        let behind = behind.take().into_iter().map(|(symbol, made)| (pair(right, symbol), pair(new, symbol), made));
        // Those that are made come first: in a run, the next place takes from what the one before has made.
        let mut made = Vec::new();
        let mut fewer = Vec::new();
        for (old, key, pair) in before.chain(behind) {
            fewer.push((old, pair.count));
            self.pairs.insert(key, pair);
            made.push(key);
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
