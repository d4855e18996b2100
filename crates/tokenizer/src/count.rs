//! The distinct pieces of a text with their counts: training needs no more.

use std::hash::BuildHasher;

use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::Pattern;
use super::recent::{Key, Recent};

/// Bytes of a part of a text that one core counts.
const PART: usize = 1 << 20;

/// How often a piece occurs, and where first.
#[derive(Clone, Copy)]
struct Seen {
    count: u64,
    first: u64,
}

/// Tables that are filled side by side: each piece belongs to one.
const TABLES: usize = 64;

/// Different pieces with their counts.
#[derive(Default)]
pub struct Pieces {
    tables: Vec<FxHashMap<Box<[u8]>, Seen>>,
    bytes: u64,
}

/// The pieces that a part of a text has for a table.
type Share<'t> = Vec<(&'t str, Seen)>;

impl Pieces {
    /// Adds the pieces of a text, which follows what was added before. All cores count.
    pub fn add(&mut self, pattern: Pattern, text: &str) {
        let counted: Vec<Vec<Share<'_>>> = pattern
            .parts(text, PART)
            .into_par_iter()
            .map(|part| {
                let start = self.bytes + (part.as_ptr() as u64 - text.as_ptr() as u64);
                let mut shares = vec![Share::new(); TABLES];
                for (piece, found) in count(pattern, part, start) {
                    shares[table(piece)].push((piece, found));
                }
                shares
            })
            .collect();
        self.tables.resize_with(TABLES, FxHashMap::default);
        self.tables.par_iter_mut().enumerate().for_each(|(table, seen)| {
            for (piece, found) in counted.iter().flat_map(|shares| &shares[table]) {
                if let Some(known) = seen.get_mut(piece.as_bytes()) {
                    known.count += found.count;
                    known.first = known.first.min(found.first);
                } else {
                    seen.insert(piece.as_bytes().into(), *found);
                }
            }
        });
        self.bytes += text.len() as u64;
    }

    /// Bytes added so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The pieces in the order in which each was seen first, with their counts.
    #[must_use]
    pub fn in_order(self) -> Vec<(Box<[u8]>, u64)> {
        let mut pieces: Vec<_> = self.tables.into_par_iter().flat_map_iter(|table| table).collect();
        pieces.par_sort_unstable_by_key(|(_, seen)| seen.first);
        pieces.into_iter().map(|(piece, seen)| (piece, seen.count)).collect()
    }
}

/// The table of a piece.
fn table(piece: &str) -> usize {
    let hash = FxBuildHasher.hash_one(piece);
    // The upper bits: a table's own places are taken from the others.
    (hash >> 32) as usize % TABLES
}

/// The different pieces of a text that begins at byte `start`.
fn count(pattern: Pattern, text: &str, start: u64) -> Vec<(&str, Seen)> {
    let mut pieces: Vec<(&str, Seen)> = Vec::new();
    // Each piece's position in the list.
    let mut places: FxHashMap<&str, u32> = FxHashMap::default();
    let mut recent: Recent<u32> = Recent::new();
    let mut at = 0;
    for piece in pattern.pieces(text) {
        let key = Key::of(text.as_bytes(), at, at + piece.len());
        let place = key.and_then(|key| recent.get(key)).unwrap_or_else(|| {
            let place = *places.entry(piece).or_insert_with(|| {
                pieces.push((piece, Seen { count: 0, first: start + at as u64 }));
                (pieces.len() - 1) as u32
            });
            if let Some(key) = key {
                recent.set(key, place);
            }
            place
        });
        pieces[place as usize].1.count += 1;
        at += piece.len();
    }
    pieces
}
