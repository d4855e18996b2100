//! Encoding: a text's pieces to ids, by the merges of a vocabulary, the smallest rank first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::recent::{Key, Recent};
use super::{Pattern, Vocabulary};

/// Bytes of a part of a text that one core encodes.
const PART: usize = 1 << 20;

/// Bytes of a piece up to which looking through all neighbours for each merge is the fastest way.
const SHORT: usize = 64;

/// No position.
const NONE: u32 = u32::MAX;

/// The ids of a text, computed on all cores.
#[must_use]
pub fn encode(vocabulary: &Vocabulary, pattern: Pattern, text: &str) -> Vec<u32> {
    encode_parts(vocabulary, pattern, text).concat()
}

/// As [`encode`], in parts that follow each other: joining them would take as long as a tenth of the encoding.
#[must_use]
pub fn encode_parts(vocabulary: &Vocabulary, pattern: Pattern, text: &str) -> Vec<Vec<u32>> {
    let parts = pattern.parts(text, PART);
    let never = AtomicBool::new(false);
    parts.par_iter().map_init(|| Encoder::new(vocabulary, pattern, &never), Encoder::encode).collect()
}

/// How many ids a text has, counted on all cores and kept nowhere. Once `stop` is set, each core ends soon, also within
/// a long word, and the number means nothing.
#[must_use]
pub fn count(vocabulary: &Vocabulary, pattern: Pattern, text: &str, stop: &AtomicBool) -> u64 {
    let parts = pattern.parts(text, PART);
    let wanted = parts.par_iter().take_any_while(|_| !stop.load(Ordering::Relaxed));
    wanted.map_init(|| Encoder::new(vocabulary, pattern, stop), |encoder, part| encoder.encode(part).len() as u64).sum()
}

/// The encoder of one core. It remembers the words of the parts that it has seen.
struct Encoder<'v, 't> {
    vocabulary: &'v Vocabulary,
    pattern: Pattern,
    recent: Recent<Ids>,
    /// Words that are rarer, and no tokens themselves.
    seen: FxHashMap<&'t str, Ids>,
    several: Vec<u32>,
    stop: &'v AtomicBool,
}

impl<'v, 't> Encoder<'v, 't> {
    fn new(vocabulary: &'v Vocabulary, pattern: Pattern, stop: &'v AtomicBool) -> Self {
        Self { vocabulary, pattern, recent: Recent::new(), seen: FxHashMap::default(), several: Vec::new(), stop }
    }

    fn encode(&mut self, text: &&'t str) -> Vec<u32> {
        let text = *text;
        let mut ids = Vec::with_capacity(text.len() / 3);
        let mut at = 0;
        for piece in self.pattern.pieces(text) {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let key = Key::of(text.as_bytes(), at, at + piece.len());
            at += piece.len();
            let known = key.and_then(|key| self.recent.get(key)).unwrap_or_else(|| {
                let found = self.find(piece);
                if let Some(key) = key {
                    self.recent.set(key, found);
                }
                found
            });
            match known {
                Ids { first, count: 1 } => ids.push(first),
                Ids { first, count } => {
                    ids.extend_from_slice(&self.several[first as usize..(first + count) as usize]);
                }
            }
        }
        ids
    }

    fn find(&mut self, piece: &'t str) -> Ids {
        match self.vocabulary.whole(piece.as_bytes()) {
            Some(id) => Ids { first: id, count: 1 },
            None => {
                let stop = self.stop;
                let several = &mut self.several;
                *self.seen.entry(piece).or_insert_with(|| encoded(self.vocabulary, piece.as_bytes(), several, stop))
            }
        }
    }
}

/// The ids of a piece: one, or several in a list of such.
#[derive(Clone, Copy, Default)]
struct Ids {
    /// The id, or where the first of several is in the list.
    first: u32,
    count: u32,
}

/// Encodes a piece; several ids go to the end of the list.
fn encoded(vocabulary: &Vocabulary, piece: &[u8], several: &mut Vec<u32>, stop: &AtomicBool) -> Ids {
    let from = several.len();
    encode_piece(vocabulary, piece, several, stop);
    let count = several.len() - from;
    let place = |at: usize| u32::try_from(at).expect("a core has seen fewer than 2^32 ids");
    match count {
        1 => Ids { first: several.pop().unwrap_or_default(), count: 1 },
        _ => Ids { first: place(from), count: place(count) },
    }
}

/// Appends the ids of one piece.
fn encode_piece(vocabulary: &Vocabulary, piece: &[u8], ids: &mut Vec<u32>, stop: &AtomicBool) {
    if piece.len() <= SHORT {
        encode_short(vocabulary, piece, ids);
    } else {
        encode_long(vocabulary, piece, ids, stop);
    }
}

/// Looks for the smallest rank among all neighbours, again and again.
fn encode_short(vocabulary: &Vocabulary, piece: &[u8], ids: &mut Vec<u32>) {
    const NO_MERGE: u32 = u32::MAX;
    let mut symbols = [0_u32; SHORT];
    // The rank of each symbol with the next one, and what they make.
    let mut ranks = [(NO_MERGE, 0_u32); SHORT];
    let mut count = piece.len();
    for (symbol, &byte) in symbols.iter_mut().zip(piece) {
        *symbol = vocabulary.of_byte(byte);
    }
    let look_up = |left, right| vocabulary.merge(left, right).map_or((NO_MERGE, 0), |merge| (merge.rank, merge.id));
    for at in 1..count {
        ranks[at - 1] = look_up(symbols[at - 1], symbols[at]);
    }
    while count > 1 {
        let (mut best, mut best_at) = (NO_MERGE, 0);
        for (at, &(rank, _)) in ranks[..count - 1].iter().enumerate() {
            if rank < best {
                (best, best_at) = (rank, at);
            }
        }
        if best == NO_MERGE {
            break;
        }
        symbols[best_at] = ranks[best_at].1;
        symbols.copy_within(best_at + 2..count, best_at + 1);
        ranks.copy_within(best_at + 1..count, best_at);
        count -= 1;
        if best_at > 0 {
            ranks[best_at - 1] = look_up(symbols[best_at - 1], symbols[best_at]);
        }
        if best_at + 1 < count {
            ranks[best_at] = look_up(symbols[best_at], symbols[best_at + 1]);
        }
    }
    ids.extend_from_slice(&symbols[..count]);
}

/// Keeps the possible merges in a heap: the time grows as n log n, so a piece may be as long as the text. Once `stop`
/// is set, merging ends where it is.
fn encode_long(vocabulary: &Vocabulary, piece: &[u8], ids: &mut Vec<u32>, stop: &AtomicBool) {
    let mut symbols: Vec<u32> = piece.iter().map(|&byte| vocabulary.of_byte(byte)).collect();
    let count = u32::try_from(symbols.len()).expect("a piece has fewer than 2^32 bytes");
    let mut next: Vec<u32> = (1..=count).map(|at| if at == count { NONE } else { at }).collect();
    let mut before: Vec<u32> = (0..count).map(|at| at.wrapping_sub(1)).collect();
    let mut heap = BinaryHeap::new();
    let offer = |heap: &mut BinaryHeap<_>, symbols: &[u32], at: u32, right: u32| {
        if let Some(merge) = vocabulary.merge(symbols[at as usize], symbols[right as usize]) {
            heap.push(Reverse((merge.rank, at)));
        }
    };
    for at in 1..count {
        offer(&mut heap, &symbols, at - 1, at);
    }
    while let Some(Reverse((rank, at))) = heap.pop()
        && !stop.load(Ordering::Relaxed)
    {
        let right = next[at as usize];
        // Merged symbols hold NONE, which no merge has. An entry whose symbols have changed since is dropped.
        if right == NONE || symbols[at as usize] == NONE {
            continue;
        }
        let merge = vocabulary.merge(symbols[at as usize], symbols[right as usize]);
        let Some(merge) = merge.filter(|merge| merge.rank == rank) else { continue };
        let behind = next[right as usize];
        symbols[at as usize] = merge.id;
        symbols[right as usize] = NONE;
        next[at as usize] = behind;
        if behind != NONE {
            before[behind as usize] = at;
            offer(&mut heap, &symbols, at, behind);
        }
        if before[at as usize] != NONE {
            offer(&mut heap, &symbols, before[at as usize], at);
        }
    }
    ids.extend(symbols.into_iter().filter(|&symbol| symbol != NONE));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_pieces_are_encoded_alike() {
        let merges = [(97, 97), (256, 97), (97, 98), (256, 256), (98, 98), (258, 260), (259, 257)];
        let vocabulary = Vocabulary::from_merges(&merges);
        let text: Vec<u8> = (0..SHORT).map(|at| if at * at % 7 < 3 { b'a' } else { b'b' }).collect();
        for from in 0..SHORT {
            let (mut short, mut long) = (Vec::new(), Vec::new());
            encode_short(&vocabulary, &text[from..], &mut short);
            encode_long(&vocabulary, &text[from..], &mut long, &AtomicBool::new(false));
            assert_eq!(short, long, "from {from}");
        }
    }

    #[test]
    fn a_core_is_called_off_within_a_part_and_within_a_word() {
        let vocabulary = Vocabulary::from_merges(&[(97, 97)]);
        let stop = AtomicBool::new(true);
        assert_eq!(Encoder::new(&vocabulary, Pattern::Gpt2, &stop).encode(&"aa aa aa"), [0_u32; 0]);
        let mut ids = Vec::new();
        encode_long(&vocabulary, &[b'a'; 1000], &mut ids, &stop);
        assert_eq!(ids, [97; 1000], "nothing was merged");
    }

    #[test]
    fn a_million_times_the_same_letter() {
        let vocabulary = Vocabulary::from_merges(&[(97, 97), (256, 256), (257, 257)]);
        let ids = encode(&vocabulary, Pattern::Cl100k, &"a".repeat(1_000_001));
        assert_eq!(ids.len(), 125_001);
        assert_eq!(ids[125_000], 97);
    }
}
