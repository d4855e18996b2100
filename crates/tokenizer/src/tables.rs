//! A vocabulary as tables of words, for kernels that encode. `shaders/tokenization/` has the code that searches them.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::Vocabulary;
use super::classes::Classes;
use super::rank_file::{self, BUILT_IN};

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Table {
    /// The classes of each character, four in a word; of no vocabulary.
    Classes,
    /// The tokens of the 256 bytes.
    Bytes,
    /// Tokens by their bytes, in places of four words: hash, id, where the bytes begin in [`Table::Spelling`], how many
    /// they are. Free places have no bytes.
    Whole,
    /// The bytes of all tokens that [`Table::Whole`] has, four in a word.
    Spelling,
    /// Merges by their two tokens, in places of four words: left, right, rank, what they make. Free places have
    /// [`NOTHING`] in all four.
    Merges,
}

/// Every table, by its name in a lesson.
pub const TABLES: [(&str, Table); 5] = [
    ("classes", Table::Classes),
    ("bytes", Table::Bytes),
    ("whole", Table::Whole),
    ("spelling", Table::Spelling),
    ("merges", Table::Merges),
];

/// A table of a built-in vocabulary, made at most once; None if the name is unknown.
#[must_use]
pub fn shared(name: &str, table: Table) -> Option<&'static [u32]> {
    type Made = [OnceLock<Vec<u32>>; TABLES.len()];
    static MADE: [Made; BUILT_IN.len()] = [const { [const { OnceLock::new() }; TABLES.len()] }; BUILT_IN.len()];
    let vocabulary = rank_file::shared(name)?;
    let of = BUILT_IN.iter().position(|known| *known == name)?;
    let at = TABLES.iter().position(|(_, known)| *known == table)?;
    Some(MADE[of][at].get_or_init(|| vocabulary.table(table)))
}

/// No token.
const NOTHING: u32 = u32::MAX;

/// Words of a place.
const WIDTH: usize = 4;

impl Vocabulary {
    /// One of its tables.
    #[must_use]
    pub fn table(&self, table: Table) -> Vec<u32> {
        match table {
            Table::Classes => Classes::packed(),
            Table::Bytes => (0..=255).map(|byte| self.of_byte(byte)).collect(),
            Table::Whole => self.whole_places(),
            Table::Spelling => {
                let spelled: Vec<u8> = self.taken_whole().flat_map(|(_, token)| token).copied().collect();
                let four = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
                // A buffer has a word at least.
                if spelled.is_empty() { vec![0] } else { spelled.chunks(4).map(four).collect() }
            }
            Table::Merges => self.merge_places(),
        }
    }

    fn whole_places(&self) -> Vec<u32> {
        let mut places = Places::new(self.taken_whole().count(), 0);
        let mut start = 0;
        for (id, token) in self.taken_whole() {
            let hash =
                token.iter().fold(2_166_136_261_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(16_777_619));
            let length = token.len() as u32;
            places.put(hash ^ hash >> 15, [hash, id, start, length], |place| place[3] == 0);
            start += length;
        }
        places.0
    }

    fn merge_places(&self) -> Vec<u32> {
        // In an order that is the same on every machine.
        let mut merges: Vec<_> = self.merges().collect();
        merges.sort_unstable_by_key(|(left, right, _)| (*left, *right));
        let mut places = Places::new(merges.len(), NOTHING);
        for (left, right, merge) in merges {
            let hash = left.wrapping_mul(2_654_435_769) ^ right.wrapping_mul(2_246_822_519);
            places.put(hash ^ hash >> 15, [left, right, merge.rank, merge.id], |place| place[0] == NOTHING);
        }
        places.0
    }
}

/// A hash table with open addressing: a power of two of places, half of them free.
struct Places(Vec<u32>);

impl Places {
    fn new(entries: usize, free: u32) -> Self {
        Self(vec![free; WIDTH * (2 * entries).next_power_of_two().max(2)])
    }

    fn put(&mut self, hash: u32, entry: [u32; WIDTH], is_free: impl Fn(&[u32]) -> bool) {
        let count = self.0.len() / WIDTH;
        let mut at = hash as usize % count;
        while !is_free(&self.0[WIDTH * at..WIDTH * (at + 1)]) {
            at = (at + 1) % count;
        }
        self.0[WIDTH * at..WIDTH * (at + 1)].copy_from_slice(&entry);
    }
}
