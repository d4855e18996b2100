//! How much the tables of a training hold, by the text's length and the device's buffers.

use super::board::{BLOCK, MOST_GROUPS};
use crate::base::diag::Diagnostic;
use crate::base::units::si;

/// Places of the table of pairs whose most frequent pair is kept.
pub(super) const TILE: usize = 256;

/// The fewest places of that table: each lane has one of its tiles.
const LEAST_PLACES: usize = TILE * LANES as usize;

/// Bytes of that table at least.
const LEAST_BUFFER: usize = 8 * LEAST_PLACES;

/// Lanes that look for the most frequent pair, if the device has that many.
pub(super) const LANES: u32 = 1024;

/// How much the tables hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Capacity {
    /// Slots of the table of words.
    pub(super) slots: usize,
    /// Different words.
    pub(super) words: usize,
    /// Bytes of different words.
    pub(super) tokens: usize,
    /// Places of the table of pairs.
    pub(super) places: usize,
    /// The most bytes that a buffer can have.
    most: usize,
}

/// Which table was too small, as the kernels number it in `trouble`: that of words, or of pairs; else it is the buffers
/// of words and their tokens.
const WORD_TABLE: u32 = 1;
const PAIR_TABLE: u32 = 3;

impl Capacity {
    /// The capacity that most texts of `bytes` bytes need: few words of a long text are new.
    ///
    /// # Errors
    /// When not even the smallest tables fit in a buffer of `most` bytes.
    pub(super) fn of(bytes: usize, most: usize) -> Result<Self, Diagnostic> {
        if most < LEAST_BUFFER {
            let [most, least] = [most, LEAST_BUFFER].map(|bytes| si(bytes as f64, "B"));
            let message = format!("a buffer of this device holds {most}, and training needs {least}");
            return Err(Diagnostic::error(message).hint("leave --backend out"));
        }
        let power = |count: usize| count.next_power_of_two().max(1 << 16);
        let capacity = Self {
            slots: power(bytes / 16),
            words: power(bytes / 32),
            tokens: power(bytes / 4),
            places: power(bytes / 64).max(LEAST_PLACES),
            most,
        };
        Ok(capacity.within())
    }

    /// As much of it as a buffer holds.
    fn within(mut self) -> Self {
        let power = |bytes: usize| 1 << (self.most / bytes).ilog2();
        let (slots, words, tokens, places) = (power(12), power(12), power(4), power(8));
        self.slots = self.slots.min(slots);
        self.words = self.words.min(words).min(MOST_GROUPS * BLOCK);
        self.tokens = self.tokens.min(tokens);
        self.places = self.places.min(places);
        self
    }

    /// More of what was too small.
    ///
    /// # Errors
    /// When the device's buffers hold no more.
    pub(super) fn grown(self, trouble: u32) -> Result<Self, Diagnostic> {
        let mut capacity = self;
        match trouble {
            WORD_TABLE => capacity.slots *= 4,
            PAIR_TABLE => capacity.places *= 4,
            _ => (capacity.words, capacity.tokens) = (4 * capacity.words, 4 * capacity.tokens),
        }
        let capacity = capacity.within();
        if capacity == self {
            let message = format!(
                "the text has more different {} than a buffer of this device holds, or too many that share a hash",
                too_many(trouble)
            );
            return Err(Diagnostic::error(message).hint("train on a part of it, or leave --backend out"));
        }
        Ok(capacity)
    }
}

/// The name of what overflowed its table.
pub(super) fn too_many(trouble: u32) -> &'static str {
    if trouble == PAIR_TABLE { "pairs" } else { "words" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_in_the_devices_buffers_or_training_is_refused() {
        for most in [0, 1, 11, LEAST_BUFFER - 1] {
            let refused = Capacity::of(1 << 20, most).map_err(|problem| problem.message);
            assert!(refused.is_err_and(|message| message.contains("training needs 2.10 MB")), "{most}");
        }
        let capacity = Capacity::of(1 << 30, LEAST_BUFFER);
        assert!(capacity.is_ok_and(|capacity| capacity.places == LEAST_PLACES && 12 * capacity.slots <= LEAST_BUFFER));
    }
}
